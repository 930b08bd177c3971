// OriginalClass: the methods of a class file, to find out whether another agent changed the class
// before it was counted.
//
// Why: positions in a profile are those of the class file. If another agent transforms a class
// before us, we count in its code, at its positions; only the class file says which methods did
// not change.
//
// Guarantees: a method is kSame only if its instructions are those of the class file, up to the
// numbering of constants, so that its positions are right.
// Threads: one until SetUnderstood; after that Judge may run in parallel.
// Failure: an unknown class file makes every method kChanged. Throws nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace iprof {

struct ClassRecord;
struct CountedMethod;

enum class MethodOrigin : uint8_t {
  kSame,     // the code of the class file
  kChanged,  // calls are right, positions are not
  kAdded,    // not in the class file at all
};

// Returns the origin of one method; an empty function if no class was changed.
using OriginOf = std::function<MethodOrigin(const ClassRecord&, const CountedMethod&)>;

class OriginalClass {
 public:
  // For a class whose file cannot be found or parsed: every method is kChanged.
  OriginalClass() = default;

  // Adds a method of the class file, with the hash of its instructions as in
  // CountedMethod::code_hash; 0 if it has no code, or code that cannot be read. Call
  // SetUnderstood() after the last method.
  void AddMethod(std::string_view name, std::string_view descriptor, uint64_t code_hash);
  // Call when all methods have been added.
  void SetUnderstood() { understood_ = true; }

  MethodOrigin Judge(const CountedMethod& method) const;

 private:
  bool understood_ = false;
  std::unordered_map<uint64_t, uint64_t> code_hashes_;  // by name and descriptor, hashed
};

}  // namespace iprof
