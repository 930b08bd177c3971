// FrameRecovery: from a thread that AsyncGetCallTrace cannot walk, the caller's registers, from
// where it can.
//
// Why: HotSpot describes compiled code only between the end of a method's prologue and the start of
// its epilogue, most stubs not at all, and interpreted frames only when they are built. In
// call-heavy loops most samples land in the gaps. Those gaps are simple: the return address is at a
// place that the instruction under the program counter gives away (see FrameLayout).
//
// Guarantees: async-signal-safe; reads the stack only between the interrupted stack pointer and the
// given end, and code only inside known ranges (or nothing); changes nothing. A wrong caller is
// worse than none, so a return address is believed only where it says itself that it is one:
//  - it lies in known code and, for compiled callers, right behind a call instruction;
//  - searched for on the stack it is only as the return address of a call to the very code that was
//    left: to this stub, or from generated code to an address outside of it.
// Failing to find one is a normal answer.
#pragma once

#include <cstdint>

#include "agent/sampling/arch/machine_context.h"
#include "agent/sampling/core/call_trace.h"
#include "agent/sampling/core/code_ranges.h"

namespace iprof::sampling {

struct PoppedLeaf {
  MachineContext caller;
  bool has_leaf = false;  // the popped frame was a Java method's
  CallFrame leaf{};       // if so
};

enum class FrameAt : uint8_t {
  kInterrupted,  // the thread was interrupted here
  kCall,         // the program counter is a return address: an earlier pop ended here
};

// stack_end: the first address above the thread's stack (reads stay below it), or as far up as the
// caller vouches for.
bool PopLeaf(const MachineContext& at, FrameAt where, uintptr_t stack_end, const CodeRanges& code,
             PoppedLeaf* popped) noexcept;

// The compiled method that called the stub at stub_pc, whose frame starts at stack_pointer.
bool FindCallerOfStub(uintptr_t stub_pc, uintptr_t stack_pointer, uintptr_t stack_end,
                      const CodeRanges& code, MachineContext* caller) noexcept;

// Where AsyncGetCallTrace must be told that the caller is: it takes the program counter for one
// that was interrupted and looks up what comes behind it, so that a return address would give the
// position after the call.
uintptr_t InsideCall(uintptr_t return_address, const CodeRanges& code) noexcept;

}  // namespace iprof::sampling
