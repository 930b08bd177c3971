// JvmConnection: gives commands to a running HotSpot JVM, without a JDK on this machine.
//
// It speaks HotSpot's attach protocol, the one that jcmd uses. A JVM serves one request at a time, on a
// thread of its own; so a request can wait for that of another tool, and no longer than the timeout. Every
// request has a connection of its own, so it does not matter to the JVM if this process ends.
//
// Works for this user's JVMs; for root, with those of all users, in any container that it sees in /proc:
// everything is reached through /proc/PID/root, and as the target's user. Pathname sockets and signals
// need no namespace to be entered.
//
// Guarantees: nothing of it stays in the JVM's folders, and no request waits longer than its timeout.
// Threads: one. Failure: one sentence that names the process.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "cli/jvm/attach_protocol.h"
#include "cli/jvm/jvm_target.h"
#include "writer/base/status.h"

namespace iprof::jvm {

struct AttachTimeouts {
  std::chrono::milliseconds listen{10'000};   // until the JVM takes connections
  std::chrono::milliseconds answer{300'000};  // of one request; loading changes all loaded classes
};

class JvmConnection {
 public:
  // Fails where the process is not a JVM, may not be reached, forbids attaching, or does not begin to listen
  // in time.
  static Result<JvmConnection> Open(pid_t pid, const AttachTimeouts& timeouts = {});
  static Result<JvmConnection> Open(std::shared_ptr<JvmTarget> target,
                                    const AttachTimeouts& timeouts = {});

  // One command with its arguments, such as {"jcmd", "JVMTI.data_dump"}, and what the JVM answers. Uses
  // version 2 of the protocol where the words need it; fails where the JVM does not know that.
  Result<Answer> Request(const RequestWords& words);

  // Whether this JVM takes so many bytes in a request. It is asked if they are many; false where it does not say.
  bool Takes(const RequestWords& words) const;

  // Loads the agent with these options, or gives them to the agent that is loaded already. Ok when the
  // agent accepted. `library` is a path of this machine; see PlacedLibrary for what the JVM is told.
  Status Load(const std::string& library, const std::string& options);

  const JvmTarget& target() const { return *target_; }
  const std::shared_ptr<JvmTarget>& shared_target() const { return target_; }
  const RunningJvm& jvm() const { return target_->jvm; }
  const AttachTimeouts& timeouts() const { return timeouts_; }

 private:
  JvmConnection(std::shared_ptr<JvmTarget> target, const AttachTimeouts& timeouts)
      : target_(std::move(target)), timeouts_(timeouts) {}
  Status About(const Status& failure) const;
  Result<ProtocolVersion> VersionFor(const RequestWords& words) const;
  Result<Answer> Send(ProtocolVersion version, const RequestWords& words) const;

  std::shared_ptr<JvmTarget> target_;
  AttachTimeouts timeouts_;
};

}  // namespace iprof::jvm
