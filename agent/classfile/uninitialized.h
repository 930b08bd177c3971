// UninitializedObjects: where an object may be at hand whose constructor has not returned.
//
// Why it exists: monitorenter takes such an object from the stack, and so do moves; a call takes
// none, so that a probe for the operand of a monitorenter would not pass the verifier.
//
// Guarantees: where At() says no, the verifier knows of no such object on the stack or in a local,
// `this` before super() included. Found as the verifier of stack maps does, in one pass in code
// order: a frame names all that there are, from there on `new` adds one and a constructor call
// takes one away. Errs towards "may be" where a new object is dropped. The verifier of old classes,
// which have no frames, refuses to lock such objects: there the answer only follows code order.
#pragma once

#include "agent/classfile/frames.h"

namespace iprof::classfile {

class UninitializedObjects {
 public:
  Reason Compute(const MethodCode& code, Arena& arena);
  // Before the instruction runs.
  bool At(Insn i) const { return may_be_[i] != 0; }

 private:
  uint8_t* may_be_ = nullptr;
};

}  // namespace iprof::classfile
