// ExceptionSources: which instructions of a method can end in an exception instead of continuing.
//
// Why fields matter: half of all methods begin with a test of one of their own fields. Reading a
// field that the class itself declares, from a `this` that the method never overwrites, cannot
// fail: it is not null, and the field is not missing, inaccessible or static.
//
// Guarantees: if MayThrow is false, the instruction never throws, in any class that the JVM's
// verifier accepts. Counts are derived across such instructions, and would be wrong otherwise.
// Linkage errors and OutOfMemoryError count as exceptions; asynchronous ones (Thread.stop) do not.
// If in doubt, an instruction may throw. The code must outlive the object. Do not ask about a
// return or athrow; it has an edge of its own.
// Threads: const methods may run in parallel. Failure: none.
#pragma once

#include "agent/classfile/code.h"

namespace iprof::instrument {

class ExceptionSources {
 public:
  explicit ExceptionSources(const classfile::MethodCode& code);

  bool MayThrow(classfile::Insn i) const;

 private:
  bool ReadsOwnField(classfile::Insn i) const;

  const classfile::MethodCode& code_;
  bool local_0_is_this_;
};

}  // namespace iprof::instrument
