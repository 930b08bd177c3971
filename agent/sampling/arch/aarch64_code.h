// What aarch64 instructions say about frames; see FrameLayout. The same names for x86-64 are in x86_64_code.h.
//
// A call leaves the return address in x30. HotSpot's compiled methods store x29 and x30, in this order, as the two uppermost
// words of their frame; they use x29 as they like. So the questions are whether that pair is stored already, and where the
// stack pointer is meanwhile.
//
// Guarantees: pure and async-signal-safe; reads code only inside the reader's range. Runs on every host: it compares
// instruction words, and executes nothing.
#pragma once

#include <cstdint>

#include "agent/sampling/arch/frame_layout.h"

namespace iprof::sampling::aarch64 {

// At an instruction of a compiled method that was interrupted there.
FrameLayout LayoutAt(const CodeReader& code, uintptr_t pc);
// At the return address of a call that a compiled method makes before its frame is complete: the
// check on entry that HotSpot's collectors put there.
FrameLayout LayoutInEntryCall(const CodeReader& code, uintptr_t return_address);

// Is there a call instruction right before this address?
bool FollowsCall(const CodeReader& code, uintptr_t at);
// The target of that call, where it is a constant; 0 where it is not. A trampoline in the same range is followed.
uintptr_t CallTarget(const CodeReader& code, uintptr_t at);

// What a stub has done with the stack between its start and pc.
enum class StubFrame : uint8_t {
  kNone,           // nothing: x30 and the stack pointer are as its caller left them
  kSenderSpSaved,  // an adapter has noted the stack pointer where the interpreter expects it, and moved it
  kRecordOnTop,     // the pair of x29 and x30 has just been pushed
  kInFramePointer,  // x29 points to the pair
  kUnknown,
};
StubFrame FrameOfStub(const CodeReader& code, uintptr_t pc);

// Is there a return instruction at this address?
bool IsReturn(const CodeReader& code, uintptr_t pc);

}  // namespace iprof::sampling::aarch64
