// ControlPath: where a JVM's agent has its control socket, by the options with which the JVM was started.
//
// Guarantees: pure; any text may be given.
// Threads: any. Failure: none; empty where no option names one that can be told.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace iprof::jvm {

// The value of control= in the agent's options: on the command line, or in JAVA_TOOL_OPTIONS or
// JDK_JAVA_OPTIONS of the environment, whose entries have the form NAME=VALUE. The command line counts first.
// %p in it is the process id that the JVM sees; other patterns than that and %% give nothing, because only the
// JVM knows what they stand for.
std::string ControlPathIn(const std::vector<std::string>& command_line,
                          const std::vector<std::string>& environment, pid_t inner_pid);

}  // namespace iprof::jvm
