#include "writer/control/channel.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace iprof::control {
namespace {

constexpr size_t kPart = 64 * 1024;

Status Failed(std::string_view what) {
  return {Code::kIo, fmt::format("cannot {}: {}", what, std::strerror(errno))};
}

Status Closed() { return {Code::kNothingYet, "the other side has closed the connection"}; }

}  // namespace

std::optional<PeerIds> PeerOf(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return PeerIds{peer.pid, peer.uid};
}

Status Channel::Say(std::string_view bytes) {
  const std::lock_guard lock(sends_);
  if (is_cut_) return Closed();
  is_cut_ = true;
  while (!bytes.empty()) {
    const ssize_t sent =
        send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      if (Status waited = wait_(socket_.get(), POLLOUT); !waited.ok()) return waited;
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return Closed();
    } else if (errno != EINTR) {
      return Failed("send");
    }
  }
  is_cut_ = false;
  return {};
}

Status Channel::Send(Kind kind, std::string_view payload) {
  return Say(FormatMessage(kind, payload));
}

void Channel::Report(const Progress& progress) {
  pollfd looked{socket_.get(), POLLOUT, 0};
  if (poll(&looked, 1, 0) == 1 && looked.revents == POLLOUT)
    static_cast<void>(Send(Kind::kProgress, FormatProgress(progress)));
}

Status Channel::Receive() {
  char bytes[1 << 14];
  for (;;) {
    // Also if there are bytes, so that a side that never stops sending holds up the other no longer than that wants.
    if (Status waited = wait_(socket_.get(), POLLIN); !waited.ok()) return waited;
    const ssize_t got = recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0) {
      reader_.Add({bytes, static_cast<size_t>(got)});
      return {};
    }
    if (got == 0 || errno == ECONNRESET) return Closed();
    if (errno != EAGAIN && errno != EINTR) return Failed("receive");
  }
}

Result<std::string> Channel::HearLine() {
  for (;;) {
    Result<std::optional<std::string>> line = reader_.NextLine();
    if (!line.ok()) return line.status();
    if (*line) return std::move(**line);
    if (Status received = Receive(); !received.ok()) return received;
  }
}

Result<std::string> Channel::HearGreeting(Peer peer) {
  const Result<std::string> line = HearLine();
  return line.ok() ? ParseGreeting(*line, peer) : line;
}

Result<Message> Channel::Hear() {
  for (;;) {
    Result<std::optional<Message>> message = reader_.Next();
    if (!message.ok()) return message.status();
    if (*message && (*message)->kind == Kind::kProgress) {
      const std::optional<Progress> progress = ParseProgress((*message)->payload);
      if (progress && on_progress_) on_progress_(*progress);
      continue;
    }
    if (*message) return std::move(**message);
    if (Status received = Receive(); !received.ok()) return received;
  }
}

bool Channel::IsOpen() const {
  pollfd looked{socket_.get(), POLLRDHUP, 0};
  return poll(&looked, 1, 0) == 0;
}

bool Channel::HasNews() const {
  char first = 0;
  return reader_.has_bytes() || recv(socket_.get(), &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

Status ProfileSink::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kPart);
    if (Status sent = to_.Send(Kind::kData, part); !sent.ok()) return sent;
    bytes.remove_prefix(part.size());
  }
  return {};
}

Result<size_t> ProfileSource::Read(char* into, size_t size) {
  while (!other_ && !is_whole() && taken_ == last_.payload.size()) {
    Result<Message> next = from_.Hear();
    if (!next.ok()) return failure_ = next.status();
    const bool is_of_profile = next->kind == Kind::kData || next->kind == Kind::kEnd;
    if (!is_of_profile) {
      other_ = std::move(*next);
      break;
    }
    last_ = std::move(*next);
    taken_ = 0;
  }
  if (other_) return Status(Code::kIo, "the agent has not sent the whole profile");
  if (is_whole()) return size_t{0};
  const size_t count = std::min(size, last_.payload.size() - taken_);
  std::memcpy(into, last_.payload.data() + taken_, count);
  taken_ += count;
  return count;
}

}  // namespace iprof::control
