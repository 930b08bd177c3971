#include "agent/vm/session/control/tool_connection.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace iprof::vm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSliceMs = 100;
constexpr std::chrono::seconds kToolPatience{60};
constexpr std::chrono::seconds kToolPatienceAtEnd{5};

}  // namespace

ToolConnection::ToolConnection(OwnedFd socket, IsEnding is_ending)
    : is_ending_(std::move(is_ending)),
      channel_(std::move(socket), [this](int fd, short events) { return Wait(fd, events); }) {}

bool ToolConnection::IsOurs(int socket) {
  const auto peer = control::PeerOf(socket);
  return peer && (peer->uid == geteuid() || peer->uid == 0);
}

Result<std::shared_ptr<ToolConnection>> ToolConnection::To(const std::string& socket,
                                                           IsEnding is_ending) {
  const auto failed = [&](std::string_view why) {
    return Status(Code::kIo, fmt::format("the tool at '{}' cannot be answered: {}", socket, why));
  };
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (!socket.starts_with('/'))
    return Status(Code::kUsage,
                  "a tool of another release gave a command: use the tool of the agent's release");
  if (socket.size() >= sizeof address.sun_path) return failed("its name is too long");
  std::memcpy(address.sun_path, socket.data(), socket.size());
  OwnedFd connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!connection.is_open() ||
      connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failed(std::strerror(errno));
  if (!IsOurs(connection.get())) return failed("it is another user's");
  auto made = std::make_shared<ToolConnection>(std::move(connection), std::move(is_ending));
  const Status said = made->channel_.Say(control::FormatGreeting());
  if (!said.ok()) return failed(said.message());
  return made;
}

Result<std::string> ToolConnection::Greet(const std::string& line) {
  Result<std::string> command = control::ParseGreeting(line, control::Peer::kTool);
  // A tool that is gone by now has given its command all the same.
  static_cast<void>(
      channel_.Say(command.ok() ? control::FormatGreeting() : control::RefusalForOldTools()));
  return command;
}

void ToolConnection::Answer(const control::Answer& answer) {
  static_cast<void>(channel_.Send(control::Kind::kAnswer, FormatAnswer(answer)));
}

bool ToolConnection::HasSaved() {
  const Result<control::Message> heard = channel_.Hear();
  return heard.ok() && heard->kind == control::Kind::kSaved;
}

Status ToolConnection::Wait(int fd, short events) const {
  const Clock::time_point start = Clock::now();
  for (;;) {
    pollfd waited{fd, events, 0};
    const int ready = poll(&waited, 1, kSliceMs);
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR && errno != EAGAIN && errno != ENOMEM)
      return {Code::kIo, std::strerror(errno)};
    const auto took = Clock::now() - start;
    const bool is_ending = is_ending_ && is_ending_();
    if (took >= (is_ending ? kToolPatienceAtEnd : kToolPatience))
      return {Code::kIo, "the tool takes no more bytes, or says nothing"};
  }
}

}  // namespace iprof::vm
