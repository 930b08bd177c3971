// StackDepths: how many operand-stack slots are in use before each instruction.
//
// Guarantees: exact for code that the JVM's verifier accepts; unreachable code that nothing
// describes reads kUnknown. Code whose depths contradict each other or max_stack is refused
// (kBadStack). For code with jsr or ret, whose depths depend on the caller of a subroutine, every
// depth is the method's max_stack: an upper bound.
#pragma once

#include "agent/classfile/code.h"
#include "agent/classfile/frames.h"

namespace iprof::classfile {

// Slots taken and given by instructions that name a constant, remembered per constant and class.
class SlotCache {
 public:
  SlotCache(const ConstantPool& pool, Arena& arena) : pool_(&pool), arena_(&arena) {}
  // False when the constant is not what the instruction needs.
  bool Slots(const MethodCode& code, Insn i, int* pops, int* pushes);

 private:
  struct Entry {
    uint16_t kind_and_pops;  // 0: not known yet
    uint8_t pushes;
  };
  const ConstantPool* pool_;
  Arena* arena_;
  Entry* entries_ = nullptr;
};

class StackDepths {
 public:
  static constexpr uint16_t kUnknown = 0xFFFF;

  Reason Compute(const MethodCode& code, const FrameTable& frames, SlotCache& cache, Arena& arena);
  uint16_t At(Insn i) const { return depths_ == nullptr ? bound_ : depths_[i]; }

 private:
  uint16_t* depths_ = nullptr;
  uint16_t bound_ = 0;
};

}  // namespace iprof::classfile
