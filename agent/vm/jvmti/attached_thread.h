// AttachedThread: runs a function once on a new daemon thread of the JVM.
//
// Why not RunAgentThread: that needs a java.lang.Thread object, so the caller would run Java code. Here
// the new thread creates its own, so it can be started anywhere, also inside a callback.
//
// Guarantees: the thread keeps no JVM from ending. Exceptions of the function end with it. It takes no signals
// before it is attached. From then on it takes those that its starter takes, because Java threads and processes
// that the function starts inherit that. Nothing is left of it after the function has returned. If the JVM is
// ending, the function may never run, or not to its end.
// Threads: any. Failure: StartAttachedThread returns a Status if the system refuses the thread. If the
// JVM refuses to attach it, the function is called with null.
#pragma once

#include <jni.h>

#include <cstdint>
#include <functional>
#include <string>

#include "writer/base/status.h"

namespace iprof::vm {

// `name` is for thread dumps.
Status StartAttachedThread(JavaVM* vm, std::string name, std::function<void(JNIEnv*)> function);

// A thread that the JVM does not know. The same rules, without a JNIEnv. It never takes a signal.
Status StartNativeThread(std::string name, std::function<void()> function);

// CPU time of the calling thread.
uint64_t ThreadCpuNs();

// CPU time of all these threads that have ended.
uint64_t EndedThreadsCpuNs();

}  // namespace iprof::vm
