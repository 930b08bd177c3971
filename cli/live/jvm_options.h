// The options that all commands for running JVMs share.
//
// Guarantees: as cli/terminal/command.h. Threads: one. Failure: a usage error.
#pragma once

#include <sys/types.h>

#include <string>

#include "cli/jvm/jvm_connection.h"
#include "cli/terminal/option_list.h"

namespace iprof::cli {

// The positional process id.
OptionRow AddPid(OptionList& options, pid_t& pid);

// The positional process id, or else the path of a core file. One of them is set.
OptionRow AddPidOrCore(OptionList& options, pid_t& pid, std::string& core);

// --timeout SECONDS: replaces both times.
OptionRow AddTimeout(OptionList& options, jvm::AttachTimeouts& timeouts);

}  // namespace iprof::cli
