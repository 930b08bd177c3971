// CrashGuard: a fault inside AsyncGetCallTrace costs one sample, not the process.
//
// Guarantees:
//  - Only a SIGSEGV or SIGBUS raised while the *same thread* is inside Guarded() is caught; every
//    other one goes to whoever handled it before, with the same arguments, flags and signal mask as
//    if we were not there.
//  - HotSpot's own guarded reads (SafeFetch) inside Guarded() still reach HotSpot's handler.
//  - Guarded() makes no system call unless a fault happens.
//  - The jump out skips HotSpot's destructors. So the caller must not call AsyncGetCallTrace on
//    that thread again.
//
// Install() is for a normal thread, after the JVM has installed its own handlers (VMInit);
// Guarded() for the signal handler. The handlers stay installed for good: taking them out could
// take out somebody else's that chained to us.
#pragma once

#include "agent/sampling/core/thread_slot.h"
#include "writer/base/status.h"

namespace iprof::sampling {

class CrashGuard {
 public:
  static Status Install();

  // Runs call(argument); false when it faulted. Not reentrant on one thread.
  static bool Guarded(ThreadSlot* slot, void (*call)(void* argument), void* argument) noexcept;
};

}  // namespace iprof::sampling
