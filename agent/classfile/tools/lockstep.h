// Lockstep: does rewritten code do what the original did, inserted no-ops apart?
//
// Why it exists: the JVM's verifier accepts many a wrong branch. When nothing but nop instructions
// was inserted, both codes can be walked side by side along every edge: the same instructions with
// the same operands in the same order, the same handlers in the same order of precedence.
//
// Guarantees: independent of the rewriter's layout; linear in code and edges, apart from exception
// tables out of proportion, which are not compared. For tests, tools and the fuzz target.
#pragma once

#include "agent/classfile/code.h"

namespace iprof::classfile {

struct LockstepResult {
  const char* difference = nullptr;  // null: none
  Insn original = 0;
  Insn rewritten = 0;

  bool ok() const { return difference == nullptr; }
};

// Walks one method. One more catch-any handler may follow the original ones.
LockstepResult WalkInLockstep(const MethodCode& original, const MethodCode& rewritten,
                              Arena& arena);

// Walks every method of a class whose code differs; *method tells where a difference is.
LockstepResult WalkClassInLockstep(ByteSpan original, ByteSpan rewritten, Workspace& memory,
                                   uint32_t* method);

}  // namespace iprof::classfile
