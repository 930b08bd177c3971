// OriginalClass: what the methods of a class file look like, to judge a class that another agent
// may have changed before we saw it.
//
// Why: positions in a profile are those of the class file. Where another agent's transformation
// comes before ours, we count in its code, at its positions; only the class file can tell which
// methods are still the same.
//
// Guarantees: a method whose instructions are the class file's own, byte for byte, is kSame, so its
// positions are right; anything else, damaged and unknown class files included, is never kSame.
// Immutable once read; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>

#include "agent/instrument/counted_class.h"

namespace iprof::instrument {

enum class MethodOrigin : uint8_t {
  kSame,     // the class file's own code
  kChanged,  // calls are right, positions are not
  kAdded,    // not in the class file at all
};

// Says it of one method; empty where every class is known to be the class file's own.
using OriginOf = std::function<MethodOrigin(const CountedClass&, const CountedMethod&)>;

class OriginalClass {
 public:
  // Of a class whose file cannot be had or understood: every method is kChanged.
  OriginalClass() = default;
  explicit OriginalClass(std::span<const uint8_t> class_file);

  MethodOrigin Judge(const CountedMethod& method) const;

 private:
  bool understood_ = false;
  std::unordered_map<uint64_t, uint64_t> code_hashes_;  // by name and descriptor, hashed
};

}  // namespace iprof::instrument
