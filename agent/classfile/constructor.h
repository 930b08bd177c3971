// BeforeSuper: which code of a constructor may run before super() or this() has returned.
//
// Why it exists: up to there `this` is not an object yet, and a handler whose frame knows no locals
// must not protect such code. Found without types, by following the control flow from the entry and
// counting `new` against constructor calls, so the answer errs towards "before".
//
// Guarantees: an instruction not marked runs only after super() or this() has returned normally. A
// constructor in which the two cannot be told apart is refused (kConstructorShape). All of
// java.lang.Object's constructor counts as "before": HotSpot registers finalizers in its return
// instruction, and its C2 crashes compiling a handler around that.
#pragma once

#include "agent/classfile/code.h"

namespace iprof::classfile {

class BeforeSuper {
 public:
  Reason Compute(const MethodCode& code, Arena& arena);
  bool At(Insn i) const { return pending_ != nullptr && pending_[i] != kNotReached; }

 private:
  static constexpr uint8_t kNotReached = 0xFF;
  uint8_t* pending_ =
      nullptr;  // objects made and not yet initialised, where reached before super()
};

}  // namespace iprof::classfile
