// The options that all commands for running JVMs share.
//
// Guarantees: as cli/command.h. Threads: one. Failure: a usage error.
#pragma once

#include <sys/types.h>

#include <CLI/CLI.hpp>

#include "cli/jvm/jvm_connection.h"

namespace iprof::cli {

// The positional process id.
CLI::Option* AddPid(CLI::App& app, pid_t& pid);

// --timeout SECONDS: replaces both times.
CLI::Option* AddTimeout(CLI::App& app, jvm::AttachTimeouts& timeouts);

}  // namespace iprof::cli
