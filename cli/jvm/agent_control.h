// AgentControl: gives a command to the agent in a running JVM, and hears its answer (agent_connection.h).
//
// A profile comes over the connection, so that it reaches the tool's file even if the agent may not write there or
// has another root folder.
//
// Guarantees: nothing stays in the target's /tmp. A command that is still in the agent's queue when the tool's time is
// up does not run later, unless its `patience` says so: its own limit is shorter than the tool's. What a tool has not
// taken stays in the agent.
// Threads: one. Failure: one sentence that names the process or the socket. An answer that refuses is not a
// failure here: the caller looks at its outcome.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "cli/jvm/agent_connection.h"
#include "cli/jvm/jvm_connection.h"
#include "writer/base/status.h"
#include "writer/control/answer.h"
#include "writer/control/command.h"

namespace iprof::jvm {

struct AgentAddress {
  pid_t pid = 0;       // 0: only the socket is known
  std::string socket;  // a path of this machine; empty: find a way
};

struct AgentRequest {
  control::Wish wish = {};
  // How long it may wait in the agent, also without this tool; 0: shorter than the tool waits.
  std::chrono::milliseconds patience{0};
  // A harvest or refresh needs no agent: where none is there, this library is loaded for it.
  std::string library = {};
  // Hears how far an agent is that takes long. Empty: the agent is not asked to say it.
  AgentConnection::HearProgress progress = {};
};

// `take` gets the profile that the wish asks for. `kept`, if it is not null, gets the connection, also if the answer did not
// come.
Result<control::Answer> SendCommand(const AgentAddress& address, const AgentRequest& request,
                                    const AttachTimeouts& timeouts, const TakeProfile& take = {},
                                    std::unique_ptr<AgentConnection>* kept = nullptr);

// Loads the agent, and returns what it says to that. A failure has the agent's reason: kIo if another load came first, whose
// options stand, and kUnsupported if the agent cannot or may not run there. Profiles show `options`, but not
// `tools_options`. Options so long that no room is left for the tool's socket (before JDK 25 an attach takes about
// 1,000 bytes) go without it: then profiles show both, and the agent's status must do for an answer.
Result<std::string> LoadAgent(JvmConnection& connection, const std::string& library,
                              const std::string& options, const std::string& tools_options = {});

}  // namespace iprof::jvm
