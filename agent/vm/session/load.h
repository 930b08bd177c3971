// Load: from the JVM's load call to a running agent, or to a message that says why it did not
// start.
//
// What a user sees:
// - At start, a bad option, an unsupported JVM or an unwritable path prints one sentence to stderr,
//   and the process ends with 1 (by exit, as in HotSpot, but without HotSpot's second message).
//   With onerror=ignore it prints the same sentence, and the JVM runs without the agent. "help",
//   "help=all" and "help=OPTION" print to stdout, and the process exits with 0.
// - On attach the process never ends: the sentence goes to its stderr, and the attaching tool gets
//   an error code. If the program ends before anything is recorded, the tool is told that, and nothing
//   more is printed.
// - With only=, in a program that does not match, the agent does nothing and creates no file. It says
//   so with verbose=1; without, it prints nothing, because JAVA_TOOL_OPTIONS puts it into programs
//   whose output others read.
// - If a tool calls, the load connects to its socket and returns. What the tool wants goes over that connection, also that
//   the agent was not started. A tool of another release is refused, as a bad option is.
// - If the agent is already loaded, it prints one line; the JVM and the first load's options do not
//   change.
//
// Guarantees: no exception leaves it. Threads: the JVM's loading thread. Failure: as above.
#pragma once

#include <jni.h>

namespace iprof::vm {

enum class LoadReason { kStart, kAttach };

// The bodies of Agent_OnLoad and Agent_OnAttach. options may be null. Returns JNI_OK or JNI_ERR.
jint LoadAgent(JavaVM* vm, const char* options, LoadReason reason) noexcept;

// The body of Agent_OnUnload. JVMTI is closed already, so it only writes to the log.
void UnloadAgent() noexcept;

}  // namespace iprof::vm
