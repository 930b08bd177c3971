#include "cli/jvm/control_socket.h"

#include <fmt/core.h>
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

Result<OwnedFd> Connect(const Place& place, const std::string& path, const SocketWait& wait,
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
    if (Status status = wait.Pause(); !status.ok()) return status;
  }
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

// See ConnectIn.
Result<OwnedFd> ConnectWithin(const JvmTarget& target, const std::string& path,
                              const SocketWait& wait, Cause& cause) {
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
  return Connect(place, path, wait, cause);
}

}  // namespace

Status SocketWait::Failed(std::string_view why) const {
  return Status(Code::kIo, fmt::format("control socket {}: {}", path_, why));
}

Status SocketWait::For(int fd, short events) const {
  for (;;) {
    pollfd waited{fd, events, 0};
    const int ready = poll(&waited, 1, kSliceMs);
    if (ready > 0) return Status();
    if (ready < 0 && errno != EINTR) return FailedWithErrno(path_, "cannot wait");
    if (Status status = Check(); !status.ok()) return status;
  }
}

Status SocketWait::Pause() const {
  poll(nullptr, 0, kSliceMs);
  return Check();
}

Status SocketWait::Check() const {
  if (HeldSignals::IsPending()) return Failed("interrupted while waiting for the answer");
  if (Clock::now() - start_ < most_) return Status();
  return Failed(fmt::format("no answer within {} (--timeout)", InSeconds(most_)));
}

Result<OwnedFd> ConnectAt(const std::string& path, milliseconds most) {
  Result<OwnedFd> folder = OpenFile(FolderOf(path), O_PATH, FileKind::kFolder);
  if (!folder.ok())
    return Failed(path, fmt::format("cannot find it: {}", folder.status().message()));
  const Place place{std::move(*folder), path.substr(path.rfind('/') + 1)};
  Cause unused = Cause::kOther;
  if (Status status = CheckSocket(place, path, nullptr, unused); !status.ok()) return status;
  return Connect(place, path, SocketWait(path, most), unused);
}

Result<OwnedFd> ConnectIn(const JvmTarget& target, const std::string& path, milliseconds most) {
  const SocketWait wait(path, most);
  Cause cause = Cause::kOther;
  Result<OwnedFd> connected = ConnectWithin(target, path, wait, cause);
  if (connected.ok()) return connected;
  if (cause == Cause::kOther)
    return target.process.HasEnded() ? target.process.Ended() : connected.status();
  if (Status lives = target.process.LivesOn(); !lives.ok()) return lives;
  if (HeldSignals::IsPending()) return connected;
  connected = ConnectWithin(target, path, wait, cause);
  if (connected.ok() || !target.process.HasEnded()) return connected;
  return target.process.Ended();
}

}  // namespace iprof::jvm
