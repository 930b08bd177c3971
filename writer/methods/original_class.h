// OriginalClass: what the methods of a class file look like, to judge a class that another agent may
// have changed before it was counted.
//
// Why: positions in a profile are those of the class file. Where another agent's transformation comes
// before ours, we count in its code, at its positions; only the class file can tell which methods are
// still the same.
//
// Guarantees: a method whose instructions are the class file's own, byte for byte, is kSame, so its
// positions are right; anything else is never kSame. Immutable once made; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace iprof {

struct ClassRecord;
struct CountedMethod;

enum class MethodOrigin : uint8_t {
  kSame,     // the class file's own code
  kChanged,  // calls are right, positions are not
  kAdded,    // not in the class file at all
};

// Says it of one method; empty where every class is known to be the class file's own.
using OriginOf = std::function<MethodOrigin(const ClassRecord&, const CountedMethod&)>;

class OriginalClass {
 public:
  // Of a class whose file cannot be had or understood: every method is kChanged.
  OriginalClass() = default;

  // A method of the class file, with the hash of its instructions as CountedMethod::code_hash has it;
  // 0 where it has none, or none that can be read. Nothing to add: see Understood.
  void AddMethod(std::string_view name, std::string_view descriptor, uint64_t code_hash);
  // All methods were added.
  void SetUnderstood() { understood_ = true; }

  MethodOrigin Judge(const CountedMethod& method) const;

 private:
  bool understood_ = false;
  std::unordered_map<uint64_t, uint64_t> code_hashes_;  // by name and descriptor, hashed
};

}  // namespace iprof
