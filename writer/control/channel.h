// Channel: one end of the connection between a tool and an agent (message.h).
//
//   Channel tool(std::move(socket), wait);
//   tool.Say(FormatGreeting("command=status"));
//   tool.HearGreeting(Peer::kAgent);
//   tool.Hear();  // {kAnswer, "{\"command\":\"status\",…}"}
//
// Guarantees: no call waits but in `wait`, so its owner decides how long. A message is sent whole, also if several threads
// send. Whoever is at the other end is told by the kernel (PeerOf).
// Threads: Send and Say any; the rest one at a time. Failure: a Status with the reason only; kNothingYet if the other side
// has closed the connection.
#pragma once

#include <sys/types.h>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "writer/base/open_file.h"
#include "writer/base/status.h"
#include "writer/control/message.h"
#include "writer/control/progress.h"
#include "writer/profile/io/byte_stream.h"

namespace iprof::control {

// Who connected to a socket, or made it listen.
struct PeerIds {
  pid_t pid = 0;  // 0: a process that we do not see
  uid_t uid = 0;
};
std::optional<PeerIds> PeerOf(int socket);

class Channel {
 public:
  // Returns when poll(2) reports one of the events; a failure ends the call that waits. Asked before all that is heard.
  using Wait = std::function<Status(int fd, short events)>;

  Channel(OwnedFd socket, Wait wait) : socket_(std::move(socket)), wait_(std::move(wait)) {}

  // From now on waits are this one's.
  void WaitBy(Wait wait) { wait_ = std::move(wait); }

  Status Say(std::string_view bytes);
  Status Send(Kind kind, std::string_view payload = {});
  // Sends it unless the other side takes nothing now, so never waits for that.
  void Report(const Progress& progress);
  Result<std::string> HearLine();
  // What stands behind the version in the other side's first line.
  Result<std::string> HearGreeting(Peer peer);
  // The next message that is no progress; progress on the way goes to who wants it.
  Result<Message> Hear();
  void OnProgress(std::function<void(const Progress&)> hear) { on_progress_ = std::move(hear); }
  // False if the other side has closed the connection. What it said before can still be heard.
  bool IsOpen() const;
  // Whether it has said something that was not heard yet.
  bool HasNews() const;
  int fd() const { return socket_.get(); }

 private:
  Status Receive();

  const OwnedFd socket_;
  Wait wait_;
  std::mutex sends_;
  bool is_cut_ = false;  // guarded by sends_: a message was not sent whole, so none can follow
  MessageReader reader_;
  std::function<void(const Progress&)> on_progress_;
};

// A profile's bytes on their way to the other side, in messages of at most 64 KiB. Finish says that they are all.
class ProfileSink final : public ByteSink {
 public:
  explicit ProfileSink(Channel& to) : to_(to) {}
  Status Write(std::string_view bytes) override;
  Status Finish() override { return to_.Send(Kind::kEnd); }

 private:
  Channel& to_;
};

// The same at the other end. If another message than kData and kEnd comes, reading fails, and that message is in other().
class ProfileSource final : public ByteSource {
 public:
  // `first`: a message that was heard already.
  ProfileSource(Channel& from, Message first) : from_(from), last_(std::move(first)) {}
  Result<size_t> Read(char* into, size_t size) override;
  bool is_whole() const { return last_.kind == Kind::kEnd; }
  // Of the connection; ok: it has not failed.
  const Status& failure() const { return failure_; }
  const std::optional<Message>& other() const { return other_; }

 private:
  Channel& from_;
  Message last_;
  size_t taken_ = 0;  // of last_
  Status failure_;
  std::optional<Message> other_;
};

}  // namespace iprof::control
