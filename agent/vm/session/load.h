// Load: from the JVM's load call to a running agent, or to a message that says why it did not start.
//
// What a user sees:
//  - At start, a bad option, a refused JVM, an unwritable path: one sentence on stderr, and the
//    process ends with 1 (by exit, as HotSpot itself does, but without its second message); with
//    onerror=ignore the same sentence, and the JVM goes on without the agent. "help": the table on
//    stdout, exit 0.
//  - On attach the process never ends: the sentence goes to its stderr, the attaching tool gets an
//    error code.
//  - With only=, in a program that was not meant: the agent stays out silently, making no file.
//  - Again, when the agent is there already: one line; the JVM and the first load's options stay as
//    they are.
#pragma once

#include <jni.h>

namespace iprof::vm {

enum class LoadReason { kStart, kAttach };

// The bodies of Agent_OnLoad and Agent_OnAttach. options may be null. Never throws; returns JNI_OK
// or JNI_ERR.
jint LoadAgent(JavaVM* vm, const char* options, LoadReason reason) noexcept;

// The body of Agent_OnUnload: JVMTI is closed by now, so only the log is told.
void UnloadAgent() noexcept;

}  // namespace iprof::vm
