// ExceptionSources: which instructions of a method can end in an exception instead of going on.
//
// Guarantees: what is said not to throw never does, in any class that the JVM's verifier accepts:
// counts are derived across such instructions, and would be wrong otherwise. Linkage errors and
// OutOfMemoryError count as exceptions; asynchronous ones (Thread.stop) do not. In doubt an
// instruction may throw.
//
// A method's own fields are the exception that pays: half of all methods begin with a test of one.
// Reading a field that the class itself declares, from a `this` that the method never overwrites,
// finds neither null nor a field that is missing, inaccessible or static.
//
// One per method; the code must outlive it. A return or athrow is not asked about: it has an edge
// of its own.
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
