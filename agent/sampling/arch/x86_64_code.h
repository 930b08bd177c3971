// What x86-64 instructions say about frames; see FrameLayout. aarch64_code.h has the same functions
// for aarch64.
//
// Guarantees: reads code only inside the reader's range.
// Threads: any; pure and async-signal-safe. Failure: what is not recognised is unknown, 0 or false.
#pragma once

#include <cstdint>

#include "agent/sampling/arch/frame_layout.h"

namespace iprof::sampling::x86_64 {

// The layout at an instruction of a compiled method at which the thread was interrupted.
FrameLayout LayoutAt(const CodeReader& code, uintptr_t pc);
// The layout at the return address of a call that a compiled method makes before its frame is
// complete: the entry barrier of HotSpot's collectors.
FrameLayout LayoutInEntryCall(const CodeReader& code, uintptr_t return_address);

// Whether there is a call instruction right before this address.
bool FollowsCall(const CodeReader& code, uintptr_t at);
// The target of that call if it is a constant, otherwise 0.
uintptr_t CallTarget(const CodeReader& code, uintptr_t at);

}  // namespace iprof::sampling::x86_64
