// The agent's control socket (control=PATH): one command, one answer.
//
// Guarantees: a wait ends when the answer is there, when the agent closes the connection, when the time is
// up, or when the user interrupts (HeldSignals). At most kLongestAnswer bytes are read.
// Threads: one. Failure: one sentence that names the path.
#pragma once

#include <chrono>
#include <string>

#include "cli/jvm/jvm_target.h"
#include "writer/base/status.h"

namespace iprof::jvm {

// At a path of this machine. Gives the answer's text.
Result<std::string> ExchangeAt(const std::string& path, const std::string& command,
                               std::chrono::milliseconds most);

// At a path of the target; a relative one begins at its working directory. The socket must belong to the
// target's user, and the command is sent as that user. If the target is ending, the
// failure says so. If nobody listens, the call waits half a second for the target to end. If it lives on, its agent
// may have made the socket meanwhile, so the call tries once more.
Result<std::string> ExchangeIn(const JvmTarget& target, const std::string& path,
                               const std::string& command, std::chrono::milliseconds most);

}  // namespace iprof::jvm
