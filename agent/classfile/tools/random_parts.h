// RandomParts: numbers, constants, places and instructions picked at random out of one class, for
// the mutator.
//
// Guarantees: instructions are whole, and the branches among them mostly lead to instructions that
// the code has already. Whether the stack suits them is left to chance, which is given a hand: most
// of what is made leaves the stack as it was.
#pragma once

#include "agent/classfile/tools/byte_vector.h"
#include "agent/classfile/tools/class_outline.h"
#include "agent/classfile/tools/random_numbers.h"

namespace iprof::classfile {

class RandomParts {
 public:
  RandomParts(RandomNumbers& random, const ClassOutline& outline)
      : random_(&random), outline_(&outline) {}

  uint16_t OddNumber();  // one at which programs tend to go wrong
  uint16_t Constant();
  uint16_t Constant(Tag tag);  // of that kind, if the pool has one
  // An offset in the code: mostly of an instruction, at times its end.
  uint32_t Boundary(const CodeOutline& code);

  // A few instructions of at most `room` bytes that are to stand at `offset`.
  ByteVector Instructions(const CodeOutline& code, uint32_t offset, uint32_t room);

 private:
  // Empty when there is no room.
  ByteVector Instruction(const CodeOutline& code, uint32_t offset, uint32_t room);
  ByteVector Switch(const CodeOutline& code, uint32_t offset, uint32_t room);

  RandomNumbers* random_;
  const ClassOutline* outline_;
};

}  // namespace iprof::classfile
