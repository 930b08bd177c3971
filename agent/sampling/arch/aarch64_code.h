// What aarch64 instructions say about frames; see FrameLayout. x86_64_code.h has the same functions
// for x86-64.
//
// A call leaves the return address in x30. HotSpot's compiled methods store x29 and x30, in this
// order, in the two uppermost words of their frame, and use x29 freely. So the questions are
// whether that pair is stored already, and where the stack pointer is.
//
// Guarantees: reads code only inside the reader's range. It runs on every host, because it only
// compares instruction words.
// Threads: any; pure and async-signal-safe. Failure: what is not recognised is unknown, 0 or false.
#pragma once

#include <cstdint>

#include "agent/sampling/arch/frame_layout.h"

namespace iprof::sampling::aarch64 {

// The layout at an instruction of a compiled method at which the thread was interrupted.
FrameLayout LayoutAt(const CodeReader& code, uintptr_t pc);
// The layout at the return address of a call that a compiled method makes before its frame is
// complete: the entry barrier of HotSpot's collectors.
FrameLayout LayoutInEntryCall(const CodeReader& code, uintptr_t return_address);

// Whether there is a call instruction right before this address.
bool FollowsCall(const CodeReader& code, uintptr_t at);
// The target of that call if it is a constant, otherwise 0. A trampoline in the same range is
// followed.
uintptr_t CallTarget(const CodeReader& code, uintptr_t at);

// What a stub has done to the stack between its start and pc.
enum class StubFrame : uint8_t {
  kNone,  // nothing: x30 and the stack pointer are still the caller's
  // An adapter has saved the stack pointer where the interpreter expects it, and moved it.
  kSenderSpSaved,
  kRecordOnTop,     // the pair of x29 and x30 has just been pushed
  kInFramePointer,  // x29 points to the pair
  kUnknown,
};
StubFrame FrameOfStub(const CodeReader& code, uintptr_t pc);

// Whether there is a return instruction at this address.
bool IsReturn(const CodeReader& code, uintptr_t pc);

}  // namespace iprof::sampling::aarch64
