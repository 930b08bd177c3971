// BeforeSuper: the code of a constructor that may run before super() or this() has returned.
//
// Why: until then `this` is not initialised, and a handler whose frame has no locals must not
// protect that code. It is found without types: follow the control flow from the entry, and match
// each `new` with a constructor call. If in doubt, the answer is "before".
//
// Guarantees: an instruction that is not marked runs only after super() or this() has returned
// normally. All of java.lang.Object's constructor is marked: HotSpot registers finalizers in its
// return instruction, and C2 crashes when it compiles a handler around it.
// Threads: const methods may run in parallel after Compute.
// Failure: Compute returns kConstructorShape if the two parts cannot be told apart.
#pragma once

#include "agent/classfile/code.h"

namespace iprof::classfile {

class BeforeSuper {
 public:
  Reason Compute(const MethodCode& code, Arena& arena);
  bool At(Insn i) const { return pending_ != nullptr && pending_[i] != kNotReached; }

 private:
  static constexpr uint8_t kNotReached = 0xFF;
  // Per instruction: how many new objects are not initialised yet, or kNotReached if the
  // instruction is not reached before super().
  uint8_t* pending_ = nullptr;
};

}  // namespace iprof::classfile
