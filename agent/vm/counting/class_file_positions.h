// ClassFilePositions: maps positions of running instructions to those of the class file.
//
// Guarantees, threads: any thread, while its Counting exists. Failure: a position that is not known is nullopt;
// std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "agent/instrument/class_instrumenter.h"
#include "agent/vm/classes/names/hidden_names.h"
#include "writer/base/code_stamp.h"
#include "writer/profile/model.h"

namespace iprof::vm {

class ClassFilePositions {
 public:
  ClassFilePositions(const instrument::ClassInstrumenter& instrumenter, const HiddenNames& names,
                     OriginOf origin_of)
      : instrumenter_(instrumenter), names_(names), origin_of_(std::move(origin_of)) {}

  // A position in a running method; see ClassInstrumenter::RunningPosition.
  struct Position {
    std::string_view class_descriptor;
    std::string_view name;
    std::string_view descriptor;
    Bci running;
    CodeStamp code = {};
    std::optional<Bci> original = std::nullopt;
    uint32_t original_length = 0;
    bool is_recorded = false;
  };
  // Fills the last three. Each class is looked up once.
  void Translate(std::span<Position> positions) const;
  // Whether a class that is not recorded may have had probes: it was unloaded, and what was known of it was dropped.
  bool MayHaveForgotten() const;

 private:
  void TranslateOneClass(std::span<Position*> positions) const;

  const instrument::ClassInstrumenter& instrumenter_;
  const HiddenNames& names_;
  const OriginOf origin_of_;
};

}  // namespace iprof::vm
