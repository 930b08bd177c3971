// Lockstep: does rewritten code do the same as the original, apart from inserted no-ops?
//
// Why: the JVM's verifier accepts many wrong branches. If only nop instructions were inserted, both
// versions can be walked side by side along every edge: they must have the same instructions with
// the same operands in the same order, and the same handlers in the same order of precedence.
//
// Guarantees: it does not depend on the rewriter's layout. It is linear in code and edges;
// exception tables that are out of proportion are not compared. For tests, tools and fuzzing.
// Threads: one per arena or workspace. Failure: the result says what differs and where.
#pragma once

#include "agent/classfile/code.h"

namespace iprof::classfile {

struct LockstepResult {
  const char* difference = nullptr;  // null: none
  Insn original = 0;
  Insn rewritten = 0;

  bool ok() const { return difference == nullptr; }
};

// Walks one method. One catch-any handler may follow the original ones.
LockstepResult WalkInLockstep(const MethodCode& original, const MethodCode& rewritten,
                              Arena& arena);

// Walks every method of a class whose code differs. Stores the method that differs in *method.
LockstepResult WalkClassInLockstep(ByteSpan original, ByteSpan rewritten, Workspace& memory,
                                   uint32_t* method);

}  // namespace iprof::classfile
