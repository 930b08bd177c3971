// RawHarvest: what a source counted without probes (HotSpot's own counters), in a generation of a raw file.
//
// Why not in the log and the arrays of probes: at each snapshot it has other classes with other counters. So it is
// written whole, and only the pages that differ reach the file. A program with 20,000 methods that ran takes some 2 MB.
//
// A sealed record with version kRawHarvestVersion:
//   1 = calls, 2 = branches, 4 = monitors; the largest share of lost objects, as a double
//   classes, each: EncodeClassRecord, ascending names
//   counters, each: its value, by CounterIndex
//   names of types; then sites, each: difference, lost objects, types, each: name by number, count
//
// Guarantees: ReadRawHarvest reads what EncodeRawHarvest made; all else is refused. Reading checks every class, and takes
// memory in proportion to the bytes: sites that no class names are left out, and classes are decoded when they are asked for.
// Threads: any. Failure: nullopt; std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "writer/records/profile_assembly.h"
#include "writer/records/type_counts.h"

namespace iprof {

inline constexpr uint8_t kRawHarvestVersion = 1;

std::vector<uint8_t> EncodeRawHarvest(const ClassSource& classes,
                                      std::span<const uint64_t> counters, const TypeCounts& types,
                                      const AssemblyOptions& options);

class RawHarvest final : public ClassSource {
 public:
  size_t size() const override { return classes_.size(); }
  std::string_view NameOf(size_t number) const override { return classes_[number].name; }
  const ClassRecord& Get(size_t number, ClassRecord& scratch) const override;

  std::span<const uint64_t> counters() const { return counters_; }
  const TypeCounts& types() const { return types_; }
  const AssemblyOptions& options() const { return options_; }

 private:
  friend std::optional<RawHarvest> ReadRawHarvest(std::span<const uint8_t> bytes);
  struct Class {
    std::string_view name;
    std::span<const uint8_t> record;
  };
  bool Read(std::span<const uint8_t> body);

  AssemblyOptions options_;
  std::vector<Class> classes_;
  std::vector<uint64_t> counters_;
  TypeCounts types_;
};

// The bytes must outlive the result.
std::optional<RawHarvest> ReadRawHarvest(std::span<const uint8_t> bytes);

}  // namespace iprof
