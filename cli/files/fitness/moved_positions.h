// MovedPositions: where instructions of a method's old code are in its new code.
//
// An instruction is found again by the instructions around it, and never by its position: the same two before it and after
// it must be at exactly one place in the new code, and in the old code nowhere else. If they are at several, more instructions on
// each side decide, up to kMostAround. So an instruction close to a change is not found.
//
// Example: a line was added at the start of a method. The branch that was at 20 is at 31 now, between the same calls, so Find(20)
// is 31. Where the method has two equal loops, and nothing around them differs, Find has no answer.
//
// Two instructions are the same if their opcodes and operands are: constants by name and value, local variables by number, a
// switch by its keys. Where branches go makes no difference.
//
// Guarantees: no two old positions have one new position. Time: linear in the code, times kMostAround squared.
// Threads: const methods may run in parallel. Failure: a constant that cannot be read is like no other; std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "agent/classfile/code.h"
#include "writer/profile/model.h"

namespace iprof::fitness {

class MovedPositions {
 public:
  static constexpr uint32_t kLeastAround = 2;
  static constexpr uint32_t kMostAround = 12;

  MovedPositions(const classfile::MethodCode& old_code, const classfile::MethodCode& new_code);
  // nullopt: it is gone, or could be several.
  std::optional<Bci> Find(Bci old_position) const;

 private:
  std::unordered_map<Bci, Bci> moved_;
};

}  // namespace iprof::fitness
