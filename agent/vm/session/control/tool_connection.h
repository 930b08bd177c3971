// ToolConnection: the agent's end of the connection to a tool (writer/control/message.h).
//
// A tool that has connected to the agent's socket (control_socket.h) speaks first. A tool that only calls, by a load of the
// library or by the doorbell, has a socket of its own: the agent connects to it and says its version, so the tool knows at
// once that it was heard.
//
//   To("/tmp/.iprof-0123456789abcdef/agent", is_ending)  // connected, and "iprof/3\n" is sent
//
// Guarantees: only a socket on which this process's user or root listens is used. A tool that takes nothing is given up
// after a minute.
// Threads and failure: as Caller; To returns a Status that names the socket.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/vm/session/control/caller.h"
#include "writer/base/open_file.h"
#include "writer/base/status.h"
#include "writer/control/channel.h"

namespace iprof::vm {

class ToolConnection final : public Caller {
 public:
  // Null: never.
  using IsEnding = std::function<bool()>;

  ToolConnection(OwnedFd socket, IsEnding is_ending);
  static Result<std::shared_ptr<ToolConnection>> To(const std::string& socket, IsEnding is_ending);
  // Whether the other end of a socket is this process's user or root.
  static bool IsOurs(int socket);

  int fd() const { return channel_.fd(); }
  // A tool that spoke first: returns the text of its command, and says our version; a tool of another release is refused.
  Result<std::string> Greet(const std::string& line);
  // The text of its command, from a tool that was called back.
  Result<std::string> HearCommand() { return channel_.HearGreeting(control::Peer::kTool); }

  void Answer(const control::Answer& answer) override;
  void Report(const control::Progress& progress) override { channel_.Report(progress); }
  ByteSink& profile() override { return sink_; }
  bool HasSaved() override;
  bool IsThere() const override { return channel_.IsOpen(); }

 private:
  Status Wait(int fd, short events) const;

  const IsEnding is_ending_;
  control::Channel channel_;
  control::ProfileSink sink_{channel_};
};

}  // namespace iprof::vm
