// RandomParts: picks random numbers, constants, positions and instructions from a class, for the
// mutator.
//
// Guarantees: instructions are complete, and most branches among them lead to existing
// instructions. The stack may not match, but most generated code leaves it unchanged.
// Threads: one per object.
// Failure: Constant returns one of another kind if the pool has none of the requested kind;
// Instructions returns nothing if there is no room.
#pragma once

#include "agent/classfile/byte_vector.h"
#include "java-tests/native/classfile/class_outline.h"
#include "java-tests/native/classfile/random_numbers.h"

namespace iprof::classfile {

class RandomParts {
 public:
  RandomParts(RandomNumbers& random, const ClassOutline& outline)
      : random_(&random), outline_(&outline) {}

  uint16_t OddNumber();  // a boundary value, at which programs tend to fail
  uint16_t Constant();
  uint16_t Constant(Tag tag);  // of that kind, if the pool has one
  // An offset in the code: usually that of an instruction, sometimes the end.
  uint32_t Boundary(const CodeOutline& code);

  // A few instructions of at most `room` bytes, to be placed at `offset`.
  ByteVector Instructions(const CodeOutline& code, uint32_t offset, uint32_t room);

 private:
  // Empty if there is no room.
  ByteVector Instruction(const CodeOutline& code, uint32_t offset, uint32_t room);
  ByteVector Switch(const CodeOutline& code, uint32_t offset, uint32_t room);

  RandomNumbers* random_;
  const ClassOutline* outline_;
};

}  // namespace iprof::classfile
