// FrameRecovery: from a thread that AsyncGetCallTrace cannot walk, the caller's registers, from
// where it can.
//
// Why: HotSpot describes compiled code only between the end of a method's prologue and the start of
// its epilogue, and stubs not at all. In call-heavy loops most samples land in the gaps. Those gaps
// are simple: the return address is at the top of the stack, or just under the saved frame pointer,
// and the instruction under the program counter says which.
//
// Guarantees: async-signal-safe; reads the stack only between the interrupted stack pointer and the
// given end, and code only inside known ranges (or nothing); changes nothing. A return address is
// believed only if it lies in known code and, for compiled callers, right behind a call
// instruction. Failing to find one is a normal answer.
#pragma once

#include <cstdint>

#include "agent/sampling/call_trace.h"
#include "agent/sampling/code_ranges.h"
#include "agent/sampling/machine_context.h"

namespace iprof::sampling {

struct PoppedLeaf {
  MachineContext caller;
  bool has_leaf = false;  // the popped frame was a Java method's
  CallFrame leaf{};       // if so
};

// stack_end: the first address above the thread's stack (reads stay below it), or as far up as the
// caller vouches for.
bool PopLeaf(const MachineContext& at, uintptr_t stack_end, const CodeRanges& code,
             PoppedLeaf* popped) noexcept;

}  // namespace iprof::sampling
