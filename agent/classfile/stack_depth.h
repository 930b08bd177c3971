// StackDepths: how many operand-stack slots are in use before each instruction.
//
// Guarantees: exact for code that the JVM's verifier accepts. Unreachable code without a frame is
// kUnknown. In code with jsr or ret, depths depend on the subroutine's caller, so every depth is
// the method's max_stack, an upper bound.
// Threads: const methods may run in parallel after Compute.
// Failure: Compute returns kBadStack if depths contradict each other or max_stack.
#pragma once

#include "agent/classfile/code.h"
#include "agent/classfile/frames.h"

namespace iprof::classfile {

// The slots popped and pushed by instructions that name a constant, cached per constant of a class.
class SlotCache {
 public:
  SlotCache(const ConstantPool& pool, Arena& arena) : pool_(&pool), arena_(&arena) {}
  // Returns false if the constant is of the wrong kind for the instruction.
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
