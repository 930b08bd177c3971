// ProcessThreads: what the system knows of the threads of this process, by their kernel ids.
//
// Guarantees: no lock of ours is taken and the JVM is not called. A thread may end at any moment, so
// each answer is about the past. Who calls: any normal thread, no signal handler.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace iprof::sampling {

// All of them; none where /proc is missing.
std::vector<pid_t> ThreadsOfProcess();

bool ThreadIsGone(pid_t tid);

// HotSpot's compiler threads are JavaThreads that never run Java: JVMTI hides them, and so do we.
bool IsCompilerThread(pid_t tid);

// Where the calling thread's stack lies; zeros where that cannot be told.
struct StackBounds {
  uintptr_t low = 0;
  uintptr_t high = 0;
};
StackBounds OwnStack();

}  // namespace iprof::sampling
