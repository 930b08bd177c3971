// ControlSocket: a Unix socket on which the agent takes commands (control=).
//
// A client writes one line, the version and the text of a command, and reads the answer (writer/control/message.h).
//
// Guarantees: the socket has mode 0600, and every client is asked for its user: only this process's
// user and root are heard. An existing path is refused, except a socket of this user on which no process
// listens (a killed JVM left it behind). Missing folders are made, for this user only. Links of
// other users in the path are not followed. Once the path exists, clients can connect. Close
// removes the path if it still is ours. Clients are read side by side, so one that sends nothing
// delays no other; it is dropped after a while, and earlier if more than kMostSilent of them wait.
// The JVM does not know the thread that listens, so it does not slow safepoints.
// Threads: Open, Serve and Close on any thread; the handler on the thread that listens.
// Failure: Open returns a Status that names the path, Serve one if the system refuses a thread. A
// client that fails is dropped.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "agent/vm/session/control/tool_connection.h"
#include "writer/base/status.h"

namespace iprof::vm {

class ControlSocket {
 public:
  // Takes a line without its end.
  using Handler = std::function<void(const std::string& line, std::shared_ptr<ToolConnection>)>;

  static constexpr size_t kMostSilent = 16;
  // How long a client may take to send its line.
  static constexpr std::chrono::seconds kLinePatience{5};

  // From now on clients can connect. They wait until Serve.
  static Result<std::unique_ptr<ControlSocket>> Open(const std::string& path);
  // The handler may be called until Close, and a little later. Called once. `is_ending`: see ToolConnection.
  Status Serve(Handler handler, ToolConnection::IsEnding is_ending = {},
               std::chrono::milliseconds line_patience = kLinePatience);
  ~ControlSocket() { Close(); }
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  void Close();
  const std::string& path() const { return path_; }

 private:
  ControlSocket(std::string path, std::shared_ptr<int> listener, dev_t device, ino_t inode);

  const std::string path_;
  const std::shared_ptr<int> listener_;  // closed when the thread has left it, too
  const dev_t device_;
  const ino_t inode_;
};

}  // namespace iprof::vm
