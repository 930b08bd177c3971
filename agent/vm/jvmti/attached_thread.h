// AttachedThread: runs a function once on a new daemon thread of the JVM.
//
// Why two kinds: a thread that attaches itself can be started anywhere, also inside a callback. But the program sees
// it: in Thread.activeCount(), Thread.getAllStackTraces() and through JMX. An agent thread is hidden from these, and
// its starter runs Java code. So a thread that stays is an agent thread.
//
// Guarantees: the thread keeps no JVM from ending. Exceptions of the function end with it. It takes no signals
// before it is attached. From then on it takes those that its starter takes, because Java threads and processes
// that the function starts inherit that. Nothing is left of it after the function has returned. If the JVM is
// ending, the function may never run, or not to its end.
// Threads: any. Failure: StartAttachedThread returns a Status if the system refuses the thread. If the
// JVM refuses to attach it, the function is called with null.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <string>

#include "writer/base/status.h"

namespace iprof::vm {

// `name` is for thread dumps.
Status StartAttachedThread(JavaVM* vm, std::string name, std::function<void(JNIEnv*)> function);

// The same for a thread that the program does not see. In the live phase, on a thread that may run Java code.
Status StartHiddenThread(jvmtiEnv* jvmti, JNIEnv* jni, const char* name,
                         std::function<void(jvmtiEnv*, JNIEnv*)> function);

// A thread that the JVM does not know. The same rules, without a JNIEnv. It never takes a signal.
Status StartNativeThread(std::string name, std::function<void()> function);

// CPU time of the calling thread, and of all threads.
uint64_t ThreadCpuNs();
uint64_t ProcessCpuNs();

// CPU time of all these threads that have ended.
uint64_t EndedThreadsCpuNs();

}  // namespace iprof::vm
