// WaitInJvm: waits where HotSpot does not take the thread for one that runs native code.
//
// Why: before HotSpot exits, it waits up to 300 ms for the threads that run native code. A thread that
// waits for a condition variable is one of them, but not one that waits in a monitor of the JVM.
//
// Guarantees: returns soon after `is_over` returns true, at most `period` later. Runs no Java code, and
// needs no lock of the program.
// Threads: an attached one.
// Failure: where the JVM gives no monitor, it waits in native code.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <functional>

namespace iprof::vm {

void WaitInJvm(jvmtiEnv* jvmti, std::chrono::milliseconds period,
               const std::function<bool()>& is_over);

}  // namespace iprof::vm
