// CrashGuard: a fault inside AsyncGetCallTrace costs one sample, not the process.
//
// Guarantees:
// - Only a SIGSEGV or SIGBUS that is raised while the *same thread* is inside Guarded() is caught.
//   Every other one goes to the previous handler, with the same arguments, flags and signal mask as
//   without us.
// - HotSpot's own guarded reads (SafeFetch) inside Guarded() still reach HotSpot's handler.
// - Guarded() makes no system call unless a fault happens.
// - The jump out of the fault skips HotSpot's destructors. So the caller must not call
//   AsyncGetCallTrace on that thread again.
// Threads: Install() on a normal thread, after the JVM has installed its own handlers (VMInit);
// Guarded() in the signal handler.
// Failure: Install returns a Status; Guarded returns false after a fault. The handlers stay
// installed: removing them could also remove a handler that was installed later and chains to ours.
#pragma once

#include "agent/sampling/core/thread_slot.h"
#include "writer/base/status.h"

namespace iprof::sampling {

class CrashGuard {
 public:
  static Status Install();

  // Calls call(argument). Returns false if it faulted. Not reentrant on one thread.
  static bool Guarded(ThreadSlot* slot, void (*call)(void* argument), void* argument) noexcept;
};

}  // namespace iprof::sampling
