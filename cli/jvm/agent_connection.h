// AgentConnection: the tool's end of the connection to an agent (writer/control/message.h).
//
// Ways to the agent, in this order:
//  1. the control socket that the user names;
//  2. the tool listens on a socket in a folder of the target's /tmp, and loads the library again with the name of that socket
//     (attach), which HotSpot hands to the agent that is there. The agent connects. Where loading is forbidden or no folder
//     can be made (a read-only /tmp):
//  3. the control socket that the JVM's options name (control=),
//  4. or, without one, the doorbell (doorbell.h) in place of the load.
//
// Guarantees: nothing stays in the target's /tmp. Only the target itself is heard on the tool's socket. A wait ends when the
// agent answers, when the target ends, when the time is up, or when the user interrupts (HeldSignals).
// Threads: one. Failure: one sentence that names the process or the socket. An answer that refuses is not a failure.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "cli/jvm/jvm_connection.h"
#include "cli/jvm/private_folder.h"
#include "writer/base/open_file.h"
#include "writer/base/status.h"
#include "writer/control/answer.h"
#include "writer/control/channel.h"
#include "writer/control/command.h"

namespace iprof::jvm {

// Takes a profile as the agent sends it, to its end, and puts it into its place. On failure the agent hears that it is not
// there, and keeps what it has recorded.
using TakeProfile = std::function<Status(ByteSource& profile)>;

class AgentConnection {
 public:
  // At a path of this machine; `target` is null where only the path is known.
  static Result<std::unique_ptr<AgentConnection>> At(const std::string& socket,
                                                     std::shared_ptr<JvmTarget> target,
                                                     std::chrono::milliseconds most);
  // By the first way that works. `library` is loaded if the target has no agent.
  static Result<std::unique_ptr<AgentConnection>> Open(std::shared_ptr<JvmTarget> target,
                                                       const std::string& library,
                                                       const AttachTimeouts& timeouts);
  AgentConnection(const AgentConnection&) = delete;
  AgentConnection& operator=(const AgentConnection&) = delete;

  // Gives a command and reads the answer. Call it once.
  // `hear` hears how far the agent is, if the command asks for that.
  using HearProgress = std::function<void(const control::Progress&)>;
  Result<control::Answer> Ask(const control::Command& command, const TakeProfile& take,
                              const HearProgress& hear = {});
  // What the agent says without a command: the result of a load, or, after a start that asks for it, what it sends when the
  // program ends. The wait for it begins here.
  Result<control::Answer> HearAnswer(const TakeProfile& take);
  Status HearGreeting();
  // Whether there is something to hear. False also if the agent has closed the connection.
  bool HasNews() const { return channel_.HasNews(); }
  // Whether a profile began to come.
  bool has_profile() const { return has_profile_; }
  // Whether who takes it could not, for a reason of its own.
  bool is_not_taken() const { return is_not_taken_; }

 private:
  friend class AgentCall;
  AgentConnection(OwnedFd socket, std::shared_ptr<JvmTarget> target, std::string control,
                  std::chrono::milliseconds most);
  void WaitAnew();
  Result<control::Answer> AskAndHear(const control::Command& command, const TakeProfile& take);
  Result<control::Answer> HearRest(const TakeProfile& take);
  Result<control::Answer> Take(control::Message first, const TakeProfile& take);
  Result<control::Answer> Parsed(const std::string& json) const;
  Status About(const Status& failure) const;

  const std::shared_ptr<JvmTarget> target_;  // null: only the control socket is known
  const std::string control_;                // empty: the agent was called
  const std::chrono::milliseconds most_;
  control::Channel channel_;
  bool has_profile_ = false;
  bool is_not_taken_ = false;
};

// The tool's own socket, at which the target's agent connects when it hears the call.
class AgentCall {
 public:
  static Result<AgentCall> Prepare(std::shared_ptr<JvmTarget> target);

  // As the target sees it.
  std::string socket() const { return folder_.PathOf(kName); }
  // The agent's connection, if it comes within this time; null if it does not.
  Result<std::unique_ptr<AgentConnection>> Accept(std::chrono::milliseconds patience,
                                                  std::chrono::milliseconds most);

 private:
  static constexpr char kName[] = "agent";

  AgentCall(std::shared_ptr<JvmTarget> target, PrivateFolder folder, OwnedFd listener)
      : target_(std::move(target)), folder_(std::move(folder)), listener_(std::move(listener)) {}

  std::shared_ptr<JvmTarget> target_;
  PrivateFolder folder_;
  OwnedFd listener_;
};

}  // namespace iprof::jvm
