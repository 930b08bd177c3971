// UninitializedObjects: where there may be an object whose constructor has not returned.
//
// Why: monitorenter and moves accept such an object, but calls do not. A probe that passes the
// operand of such a monitorenter to a call would not pass the verifier.
//
// Guarantees: where At() is false, the verifier knows of no such object on the stack or in a local,
// including `this` before super(). It is computed as the verifier of stack maps works, in one pass
// in code order: a frame lists all such objects, each `new` adds one, and each constructor call
// removes one. If a new object is dropped, the answer stays "may be". The verifier of old classes,
// which have no frames, does not let them lock such objects; for those classes the answer just
// follows code order.
// Threads: const methods may run in parallel after Compute. Failure: Compute returns the reason.
#pragma once

#include "agent/classfile/frames.h"

namespace iprof::classfile {

class UninitializedObjects {
 public:
  Reason Compute(const MethodCode& code, Arena& arena);
  // Whether there may be such an object before the instruction runs.
  bool At(Insn i) const { return may_be_[i] != 0; }

 private:
  uint8_t* may_be_ = nullptr;
};

}  // namespace iprof::classfile
