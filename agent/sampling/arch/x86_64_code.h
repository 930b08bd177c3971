// What x86-64 instructions say about frames; see FrameLayout. The same names for aarch64 are in aarch64_code.h.
//
// Guarantees: pure and async-signal-safe; reads code only inside the reader's range.
#pragma once

#include <cstdint>

#include "agent/sampling/arch/frame_layout.h"

namespace iprof::sampling::x86_64 {

// At an instruction of a compiled method that was interrupted there.
FrameLayout LayoutAt(const CodeReader& code, uintptr_t pc);
// At the return address of a call that a compiled method makes before its frame is complete: the
// check on entry that HotSpot's collectors put there.
FrameLayout LayoutInEntryCall(const CodeReader& code, uintptr_t return_address);

// Is there a call instruction right before this address?
bool FollowsCall(const CodeReader& code, uintptr_t at);
// The target of that call, where it is a constant; 0 where it is not.
uintptr_t CallTarget(const CodeReader& code, uintptr_t at);

}  // namespace iprof::sampling::x86_64
