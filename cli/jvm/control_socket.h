// The agent's control socket (control=PATH): how the tool connects to it.
//
// Guarantees: a wait ends when the agent takes the connection, when the time is up, or when the user interrupts (HeldSignals).
// Threads: one. Failure: one sentence that names the path.
#pragma once

#include <chrono>
#include <string>

#include "cli/jvm/jvm_target.h"
#include "writer/base/open_file.h"
#include "writer/base/status.h"

namespace iprof::jvm {

// How long one exchange over a control socket may take. For messages it has the path.
class SocketWait {
 public:
  SocketWait(std::string path, std::chrono::milliseconds most)
      : path_(std::move(path)), most_(most) {}
  // Until poll(2) reports one of the events.
  Status For(int fd, short events) const;
  Status Pause() const;
  Status Failed(std::string_view why) const;

 private:
  Status Check() const;

  std::string path_;
  std::chrono::milliseconds most_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// At a path of this machine.
Result<OwnedFd> ConnectAt(const std::string& path, std::chrono::milliseconds most);

// At a path of the target; a relative one begins at its working directory. The socket must belong to the
// target's user, and the connection is made as that user. If the target is ending, the
// failure says so. If no process listens, the call waits half a second for the target to end. If it lives on, its agent
// may have made the socket in that time, so the call tries once more.
Result<OwnedFd> ConnectIn(const JvmTarget& target, const std::string& path,
                          std::chrono::milliseconds most);

}  // namespace iprof::jvm
