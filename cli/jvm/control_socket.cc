#include "cli/jvm/control_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/jvm/borrowed_ids.h"
#include "cli/jvm/target_wait.h"
#include "writer/control/answer.h"

namespace iprof::jvm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kSliceMs = 50;  // how soon an interrupt is noticed
constexpr size_t kLongestName = 64;

// A path in two parts: an open folder, and a name in it.
struct Place {
  OwnedFd folder;
  std::string name;
};

// What a failure can come from.
enum class Cause : uint8_t {
  kOther,
  kNoListener,  // the program is ending, or its agent is making the socket
  kNoAnswer,    // the program is ending, or its agent refuses
};

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status Failed(const std::string& path, const std::string& why) {
  return Status(Code::kIo, fmt::format("control socket {}: {}", path, why));
}

Status FailedWithErrno(const std::string& path, std::string_view what) {
  return Failed(path, fmt::format("{}: {}", what, std::strerror(errno)));
}

class Deadline {
 public:
  explicit Deadline(milliseconds most) : most_(most) {}

  Status For(int fd, short events, const std::string& path) const {
    for (;;) {
      pollfd waited{fd, events, 0};
      const int ready = poll(&waited, 1, kSliceMs);
      if (ready > 0) return Status();
      if (ready < 0 && errno != EINTR) return FailedWithErrno(path, "cannot wait");
      if (Status status = Check(path); !status.ok()) return status;
    }
  }
  Status Pause(const std::string& path) const {
    poll(nullptr, 0, kSliceMs);
    return Check(path);
  }

 private:
  Status Check(const std::string& path) const {
    if (HeldSignals::IsPending()) return Failed(path, "interrupted while waiting for the answer");
    if (Clock::now() - start_ < most_) return Status();
    return Failed(path, fmt::format("no answer within {} (--timeout)", InSeconds(most_)));
  }

  milliseconds most_;
  Clock::time_point start_ = Clock::now();
};

Result<OwnedFd> Connect(const Place& place, const std::string& path, const Deadline& deadline,
                        Cause& cause) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (place.name.size() > kLongestName) return Failed(path, "its name is too long");
  fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "/proc/self/fd/{}/{}",
                   place.folder.get(), place.name);
  for (;;) {
    OwnedFd connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!connection.is_open()) return FailedWithErrno(path, "cannot make a socket");
    if (connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
        0) {
      return connection;
    }
    const int error = errno;
    if (error == ECONNREFUSED || error == ENOENT) cause = Cause::kNoListener;
    if (error == ECONNREFUSED) {
      return Failed(path, "it has no listener: the JVM that made it has ended");
    }
    struct stat found {};
    if (error == ENOENT &&
        fstatat(place.folder.get(), place.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
      return Failed(path, "it was removed: the program that made it is ending");
    }
    errno = error;
    if (error != EAGAIN && error != EINTR) return FailedWithErrno(path, "cannot connect");
    if (Status status = deadline.Pause(path); !status.ok()) return status;
  }
}

Status SendAll(int connection, std::string_view line, const std::string& path,
               const Deadline& deadline) {
  while (!line.empty()) {
    const ssize_t n = send(connection, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      line.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {
      if (Status status = deadline.For(connection, POLLOUT, path); !status.ok()) return status;
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return Status();  // what it said before that is the reason
    } else if (errno != EINTR) {
      return FailedWithErrno(path, "cannot send the command");
    }
  }
  return Status();
}

Result<std::string> ReceiveAll(int connection, const std::string& path, const Deadline& deadline,
                               Cause& cause) {
  std::string answer;
  char buffer[1 << 14];
  for (;;) {
    const ssize_t n = recv(connection, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n > 0) {
      answer.append(buffer, static_cast<size_t>(n));
      if (answer.size() > control::kLongestAnswer) return Failed(path, "the answer is too long");
    } else if (n == 0 || errno == ECONNRESET) {
      break;
    } else if (errno == EAGAIN) {
      if (Status status = deadline.For(connection, POLLIN, path); !status.ok()) return status;
    } else if (errno != EINTR) {
      return FailedWithErrno(path, "cannot read the answer");
    }
  }
  if (answer.empty()) {
    cause = Cause::kNoAnswer;
    return Failed(
        path,
        "it was closed without an answer: the JVM has ended, its agent could not start, or it "
        "takes no commands of this user");
  }
  return answer;
}

Result<std::string> Exchange(const Place& place, const std::string& path,
                             const std::string& command, const Deadline& deadline, Cause& cause) {
  const Result<OwnedFd> connection = Connect(place, path, deadline, cause);
  if (!connection.ok()) return connection.status();
  const Status sent = SendAll(connection->get(), command + "\n", path, deadline);
  if (!sent.ok()) return sent;
  return ReceiveAll(connection->get(), path, deadline, cause);
}

// Why there is no socket at the place, or ok.
Status CheckSocket(const Place& place, const std::string& path, const uid_t* owner, Cause& cause) {
  struct stat found {};
  if (fstatat(place.folder.get(), place.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    // The path is that of the JVM's own options, and a JVM that is ending removes its socket.
    if (errno == ENOENT) cause = Cause::kNoListener;
    if (errno == ENOENT && owner != nullptr) {
      return Failed(path, "it is not there: the program is ending, or the file was removed");
    }
    return FailedWithErrno(path, "cannot find it");
  }
  if (!S_ISSOCK(found.st_mode)) return Failed(path, "it is not a socket");
  if (owner != nullptr && found.st_uid != *owner) {
    return Failed(path, fmt::format("it belongs to user {}, not to the user of the JVM",
                                    UserName(found.st_uid)));
  }
  return Status();
}

// See ExchangeIn.
Result<std::string> ExchangeWithin(const JvmTarget& target, const std::string& path,
                                   const std::string& command, const Deadline& deadline,
                                   Cause& cause) {
  const BorrowedIds ids(target.status);
  if (!ids.status().ok()) return ids.status();
  const std::string folder = FolderOf(path);
  Place place;
  place.name = path.substr(path.rfind('/') + 1);
  Result<OwnedFd> opened =
      folder.starts_with('/')
          ? OpenWithin(target.root.get(), folder, O_PATH, FileKind::kFolder)
          : OpenFile(target.cwd.get(), folder, O_PATH | O_NOFOLLOW, FileKind::kFolder);
  if (!opened.ok()) {
    if (errno == ENOENT) cause = Cause::kNoListener;
    return Failed(path, fmt::format("cannot find it: {}", opened.status().message()));
  }
  place.folder = std::move(*opened);
  if (Status status = CheckSocket(place, path, &target.status.uid, cause); !status.ok()) {
    return status;
  }
  return Exchange(place, path, command, deadline, cause);
}

}  // namespace

Result<std::string> ExchangeAt(const std::string& path, const std::string& command,
                               milliseconds most) {
  Result<OwnedFd> folder = OpenFile(FolderOf(path), O_PATH, FileKind::kFolder);
  if (!folder.ok())
    return Failed(path, fmt::format("cannot find it: {}", folder.status().message()));
  const Place place{std::move(*folder), path.substr(path.rfind('/') + 1)};
  Cause unused = Cause::kOther;
  if (Status status = CheckSocket(place, path, nullptr, unused); !status.ok()) return status;
  return Exchange(place, path, command, Deadline(most), unused);
}

Result<std::string> ExchangeIn(const JvmTarget& target, const std::string& path,
                               const std::string& command, milliseconds most) {
  const Deadline deadline(most);
  Cause cause = Cause::kOther;
  Result<std::string> answer = ExchangeWithin(target, path, command, deadline, cause);
  if (answer.ok()) return answer;
  if (cause == Cause::kOther) return target.process.HasEnded() ? target.process.Ended() : answer;
  if (Status lives = target.process.LivesOn(); !lives.ok()) return lives;
  if (cause != Cause::kNoListener || HeldSignals::IsPending()) return answer;
  answer = ExchangeWithin(target, path, command, deadline, cause);
  if (answer.ok() || !target.process.HasEnded()) return answer;
  return target.process.Ended();
}

}  // namespace iprof::jvm
