// ProcessThreads: what the system knows of the threads of this process, by their kernel ids.
//
// Guarantees: takes none of our locks and does not call the JVM. A thread may end at any moment, so
// each answer may be outdated.
// Threads: any normal thread, no signal handler.
// Failure: an empty list or zeros if the system does not say.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace iprof::sampling {

// All threads; empty if /proc is not mounted.
std::vector<pid_t> ThreadsOfProcess();

bool ThreadIsGone(pid_t tid);

// Whether the thread would handle this signal soon: false if it blocks it now, or has ended.
bool TakesSignal(pid_t tid, int signal);

// HotSpot's compiler threads are JavaThreads that never run Java. JVMTI hides them, and so do we.
bool IsCompilerThread(pid_t tid);

// The bounds of the calling thread's stack; zeros if unknown.
struct StackBounds {
  uintptr_t low = 0;
  uintptr_t high = 0;
};
StackBounds OwnStack();

}  // namespace iprof::sampling
