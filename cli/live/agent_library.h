// The agent's library: where it is, and the commands that need it alone, without an agent.
//
// It is beside the tool in a build tree, in the library folder of an installation.
// Threads: any; SendToLibrary as SendCommand (agent_control.h). Failure: one sentence that names where it looked, or the process.
#pragma once

#include <string>

#include "cli/jvm/agent_control.h"
#include "writer/base/status.h"
#include "writer/control/answer.h"
#include "writer/control/command.h"

namespace iprof::cli {

// Fails where it is in neither place; the message names both.
Result<std::string> FindAgentLibrary();

// Gives a command that needs no agent. In a process without one, the library is loaded for this alone: no thread, timer or
// callback of it is left, its code stays mapped. Example: {pid 4711}, control::Refresh{990}.
Result<control::Answer> SendToLibrary(const jvm::AgentAddress& address, const control::Wish& wish,
                                      const jvm::AttachTimeouts& timeouts,
                                      const jvm::TakeProfile& take = {});

}  // namespace iprof::cli
