// AgentControl: gives a command to the agent in a running JVM, and waits for its answer.
//
// Ways to the agent, in this order:
//  1. the control socket that the user names;
//  2. a second load of the library (attach), which HotSpot hands to the agent that is there;
//  3. where loading is forbidden: the control socket that the JVM's options name (control=),
//  4. or, without one, the doorbell (doorbell.h).
// Except over a socket, the agent writes its answer into a private folder of the target's /tmp. A profile goes
// through such a folder, too, so that it reaches the tool's file whatever the agent's rights and root are.
//
// Guarantees: nothing stays in the target's /tmp, with one exception: if the tool gives up or is interrupted
// after the agent got the command, and a profile was wanted, the agent can still write it into the private
// folder, and the failure names that file. A command that is still in the agent's queue when the tool's time is
// up does not run later, unless its `patience` says so: its own limit is shorter than the tool's.
// Threads: one. Failure: one sentence that names the process or the socket. An answer that refuses is not a
// failure here: the caller looks at its outcome.
#pragma once

#include <memory>
#include <string>

#include "cli/jvm/jvm_connection.h"
#include "cli/jvm/private_folder.h"
#include "writer/base/open_file.h"
#include "writer/base/status.h"
#include "writer/control/answer.h"
#include "writer/control/command.h"

namespace iprof::jvm {

struct AgentAddress {
  pid_t pid = 0;       // 0: only the socket is known
  std::string socket;  // a path of this machine; empty: find a way
};

struct AgentReply {
  control::Answer answer;
  OwnedFd profile;  // what the agent wrote for this command, if a profile was wanted and written
  std::string profile_path;  // where that was, as the answer's message names it
};

// Whether a profile is wanted, and compressed.
enum class ProfileForm { kNone, kPlain, kGzip };

struct AgentRequest {
  control::Verb verb = control::Verb::kStatus;
  ProfileForm profile = ProfileForm::kNone;
  // An absolute path of the JVM. Of a start: the recording's own file, see Command. At an address without a pid,
  // where the tool cannot know what the JVM sees: where the agent writes the profile; the reply has none then.
  std::string out;
  std::chrono::milliseconds duration{0};  // see Command
  // How long it may wait in the agent, also without this tool; 0: shorter than the tool waits.
  std::chrono::milliseconds patience{0};
  // Of a harvest, see Command.
  bool estimate = true;
  int64_t receivers_max_lost = kMostLostPermilleHarvest;
  int64_t target = 0;
  int64_t share = 990;        // of a refresh
  bool only_samples = false;  // of a reset
  int64_t recording = 0;      // of saved
  // A harvest or refresh needs no agent: where none is there, this library is loaded for it.
  std::string library = {};
};

Result<AgentReply> SendCommand(const AgentAddress& address, const AgentRequest& request,
                               const AttachTimeouts& timeouts);

// Tells the agent that the profile which came with this answer is in its place. Until then the agent keeps what it has
// recorded, and writes it at the program's end. Does nothing if the recording goes on, or if the agent is of a release that
// does not ask for this. On success, `answer` has the agent's new status. A failure is none for the user: at worst the
// program's end writes a profile that is there already.
void TellSaved(const AgentAddress& address, control::Answer& answer,
               const AttachTimeouts& timeouts);

// Loads the agent, and returns what it says to that. A failure has the agent's reason: kIo if another load came first, whose
// options stand, and kUnsupported if the agent cannot or may not run there. Profiles show `options`, but not
// `tools_options`. Options so long that no room is left for the path of the answer (before JDK 25 an attach takes about
// 1,000 bytes) go without it: then profiles show both, and the agent's status must do for an answer.
Result<std::string> LoadAgent(JvmConnection& connection, const std::string& library,
                              const std::string& options, const std::string& tools_options = {});

}  // namespace iprof::jvm
