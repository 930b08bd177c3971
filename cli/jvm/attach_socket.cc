#include "cli/jvm/attach_socket.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/jvm/borrowed_ids.h"

namespace iprof::jvm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostAnswer = 64 << 20;
// A JVM that has not opened its socket by then is asked again.
constexpr std::chrono::seconds kLongAgo{30};
// How long a JVM that has lost its socket is waited for. In less time than kLeast it is not asked: it could print its threads if
// it gets the signal when the file is gone.
constexpr std::chrono::milliseconds kAgain{10'000};
constexpr std::chrono::milliseconds kLeast{500};

enum class SocketState { kListens, kAbsent, kStale };

std::string SocketName(const JvmTarget& target) {
  return fmt::format(".java_pid{}", target.status.inner_pid);
}

// Connects; the state says what was found where that did not work.
Result<SocketState> Connect(const JvmTarget& target, OwnedFd& connection, TargetWait& wait) {
  const std::string name = SocketName(target);
  struct stat found {};
  if (fstatat(target.tmp.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return SocketState::kAbsent;
    return Status(Code::kIo, fmt::format("cannot look for the attach socket of {}: {}",
                                         target.process.Name(), std::strerror(errno)));
  }
  if (!S_ISSOCK(found.st_mode) || found.st_uid != target.status.uid) {
    return Status(Code::kIo, fmt::format("/tmp/{} is not the attach socket of {}: it is not a "
                                         "socket, or belongs to user {}; remove it",
                                         name, target.process.Name(), UserName(found.st_uid)));
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // Through the open folder, because the target's /tmp can be one that has no path here.
  fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "/proc/self/fd/{}/{}",
                   target.tmp.get(), name);
  for (;;) {
    connection = OwnedFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!connection.is_open()) {
      return Status(Code::kIo, fmt::format("cannot make a socket: {}", std::strerror(errno)));
    }
    if (connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
        0) {
      return SocketState::kListens;
    }
    const int error = errno;
    connection.Close();
    if (error == ECONNREFUSED) return SocketState::kStale;
    if (error == ENOENT) return SocketState::kAbsent;
    if (error != EAGAIN && error != EINTR) {  // EAGAIN: others wait for their turn
      return Status(Code::kIo, fmt::format("cannot connect to {}: {}", target.process.Name(),
                                           std::strerror(error)));
    }
    if (Status status = wait.Pause(); !status.ok()) return status;
  }
}

// The file .attach_pidN, for as long as it is needed, and locked against other tools: if a second one
// sent SIGQUIT when the first has removed the file, the JVM would print a thread dump.
class AttachFile {
 public:
  enum class Made {
    kYes,
    kBusy,   // another tool is asking
    kTaken,  // what has the name is no regular file, and the JVM would not look elsewhere
    kNo,
  };

  explicit AttachFile(const JvmTarget& target)
      : target_(target),
        cwd_(target.cwd.get()),
        name_(fmt::format(".attach_pid{}", target.status.inner_pid)) {}
  ~AttachFile() {
    if (folder_ >= 0 && !MustStay()) unlinkat(folder_, name_.c_str(), 0);
  }
  AttachFile(const AttachFile&) = delete;
  AttachFile& operator=(const AttachFile&) = delete;

  // The JVM may have another working directory now. The file must be made again.
  void MoveTo(OwnedFd cwd) {
    if (folder_ >= 0) unlinkat(folder_, name_.c_str(), 0);
    folder_ = -1;
    file_ = OwnedFd();
    moved_cwd_ = std::move(cwd);
    cwd_ = moved_cwd_.get();
  }

  // kNo where neither folder takes it. For kTaken and kNo, why_not() has the reason.
  Made Make() {
    if (folder_ >= 0) return Made::kYes;
    const Made made = cwd_ >= 0 ? MakeIn(cwd_) : Made::kNo;
    return made == Made::kNo ? MakeIn(target_.tmp.get()) : made;
  }

  // The JVM listens, so a file that is there is of no use any more, unless another tool holds it.
  void RemoveLeftBehind() const {
    for (const int folder : {cwd_, target_.tmp.get()}) {
      if (folder < 0) continue;
      const Result<OwnedFd> file = OpenThere(folder);
      struct stat found {};
      if (!file.ok() || fstat(file->get(), &found) != 0 || found.st_size != 0) continue;
      if (flock(file->get(), LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name_.c_str(), 0);
    }
  }

  const std::string& why_not() const { return why_not_; }

 private:
  Result<OwnedFd> OpenThere(int folder) const {
    return OpenWithin(folder, name_, O_WRONLY | O_NOFOLLOW, FileKind::kRegular);
  }

  // The JVM was stopped before it took the signal. It looks for the file when it goes on.
  bool MustStay() const {
    const Result<ProcessStatus> status = target_.process.ReadStatus();
    return status.ok() && status->is_stopped() && status->quit_is_pending;
  }

  Made MakeIn(int folder) {
    Result<OwnedFd> file =
        OpenFile(folder, name_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FileKind::kRegular, 0600);
    // One that is there already is another client's, or what a killed client left: the JVM takes it.
    if (!file.ok() && errno == EEXIST) {
      file = OpenThere(folder);
      if (!file.ok() && errno == ENOENT) return Made::kBusy;
    }
    if (!file.ok()) {
      why_not_ = file.status().message();
      return file.status().code() == Code::kBadInput ? Made::kTaken : Made::kNo;
    }
    struct stat made {};
    if (flock(file->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return Made::kBusy;
    // Some file systems give files to somebody else, and the JVM trusts its own user and root only.
    if (fstat(file->get(), &made) == 0 && (made.st_uid == target_.status.uid || made.st_uid == 0)) {
      // The tool that had the lock removed the file before we got it.
      if (made.st_nlink == 0) return Made::kBusy;
      folder_ = folder;
      file_ = std::move(*file);
      return Made::kYes;
    }
    unlinkat(folder, name_.c_str(), 0);
    why_not_ = fmt::format("it would belong to user {}", UserName(made.st_uid));
    return Made::kNo;
  }

  const JvmTarget& target_;
  OwnedFd moved_cwd_;
  int cwd_;  // -1: it is gone
  const std::string name_;
  OwnedFd file_;  // holds the lock
  std::string why_not_;
  int folder_ = -1;
};

// Whether the JVM took a signal and lost its socket. A JVM that starts removes sockets that earlier processes left; if it was
// asked just before that, also its own one. Its thread that serves the socket is there then, and a second signal prints no
// threads, but lets it make the socket again.
class LostSocket {
 public:
  explicit LostSocket(const JvmTarget& target) : target_(target) {}

  // Call it when there is no socket. The thread is there a moment before the socket is.
  bool IsSure() {
    if (!was_seen_) {
      was_seen_ = HasListenerThread();
      seen_at_ = Clock::now();
      return false;
    }
    return Clock::now() - seen_at_ > kMoment;
  }

 private:
  static constexpr std::chrono::milliseconds kMoment{500};

  bool HasListenerThread() const {
    const Result<OwnedFd> tasks = target_.process.OpenFolder("task");
    if (!tasks.ok()) return false;
    const std::vector<std::string> names = NamesIn(tasks->get());
    return std::any_of(names.begin(), names.end(), [&](const std::string& task) {
      const Result<OwnedFd> comm =
          OpenFile(tasks->get(), task + "/comm", O_RDONLY, FileKind::kRegular);
      std::string name;
      return comm.ok() && ReadAll(comm->get(), kLongestName, name) && name == "Attach Listener\n";
    });
  }
  static constexpr size_t kLongestName = 64;

  const JvmTarget& target_;
  bool was_seen_ = false;
  Clock::time_point seen_at_;
};

// Why a JVM that lives and runs did not open its socket.
Status Silent(const JvmTarget& target, const TargetWait& wait, bool was_asked) {
  const Result<ProcessStatus> status = target.process.ReadStatus();
  if (status.ok() && status->is_stopped()) {
    return Status(Code::kIo, fmt::format("{} is stopped (SIGSTOP, or a debugger): let it go on, "
                                         "then repeat the command",
                                         target.process.Name()));
  }
  if (was_asked) {
    return Status(Code::kIo,
                  fmt::format("{} has not opened its attach socket within {}: it is too busy, or "
                              "runs with -XX:+DisableAttachMechanism (--timeout waits longer)",
                              target.process.Name(), InSeconds(wait.most())));
  }
  return Status(Code::kIo,
                fmt::format("{} does not handle SIGQUIT, which would end it, so it cannot be asked "
                            "to listen: it has not finished starting within {}, or its attach "
                            "socket was deleted and it runs with -Xrs",
                            target.process.Name(), InSeconds(wait.most())));
}

// Opens the connection for an exchange.
Status ConnectToListener(const JvmTarget& target, OwnedFd& connection, TargetWait& wait) {
  for (bool is_first = true;; is_first = false) {
    Result<SocketState> state = SocketState::kAbsent;
    {
      const BorrowedIds ids(target.status);
      if (!ids.status().ok()) return ids.status();
      state = Connect(target, connection, wait);
    }
    if (!state.ok()) return state.status();
    if (*state == SocketState::kListens) return Status();
    if (Status lives = target.process.LivesOn(); !lives.ok()) return lives;
    const Status gone(Code::kIo,
                      fmt::format("{} does not listen any more: it is ending, or its attach socket "
                                  "was removed",
                                  target.process.Name()));
    if (*state != SocketState::kAbsent || !is_first || wait.left() < kLeast) return gone;
    // It listened when it was asked. One that was still starting then may have removed the socket, see LostSocket.
    // An interrupt would end the wait at once, and then the JVM would take the signal for a request to print its threads.
    if (HeldSignals::IsPending()) return wait.Pause();
    TargetWait again(target.process, std::min(wait.left(), kAgain));
    if (Status status = WakeListener(target, again); !status.ok()) {
      const Result<ProcessStatus> now = target.process.ReadStatus();
      const bool runs = now.ok() && !now->has_ended() && !now->is_stopped();
      const bool is_silent = again.left().count() <= 0;
      return runs && is_silent && !HeldSignals::IsPending() ? gone : status;
    }
  }
}

}  // namespace

Status WakeListener(const JvmTarget& target, TargetWait& wait) {
  const HeldSignals held;
  std::optional<BorrowedIds> ids(std::in_place, target.status);
  if (!ids->status().ok()) return ids->status();
  AttachFile file(target);
  LostSocket lost(target);
  // While a JVM starts, it changes into the folder of its performance data for a moment.
  bool may_have_moved = !target.status.catches_quit;
  Clock::time_point asked_at;
  int asked = 0;
  for (;;) {
    const Result<ProcessStatus> now = target.process.ReadStatus();
    if (!now.ok()) return now.status();
    if (now->has_ended()) return target.process.Ended();
    // It takes a connection, but no request. (A debugger's stops can be short: those count at the end.)
    if (now->state == 'T') return Silent(target, wait, false);
    OwnedFd connection;
    const Result<SocketState> state = Connect(target, connection, wait);
    if (!state.ok()) return state.status();
    if (*state == SocketState::kListens) {
      if (asked == 0) file.RemoveLeftBehind();
      return Status();
    }
    if (*state == SocketState::kStale && asked == 0) {
      unlinkat(target.tmp.get(), SocketName(target).c_str(), 0);
    }
    // Twice, as a signal during start-up can be lost. Not often: a JVM that gets both late prints its threads.
    const bool again =
        asked == 1 && (lost.IsSure() || wait.is_half_over() || Clock::now() - asked_at > kLongAgo);
    if (now->catches_quit && (asked == 0 || again)) {
      if (may_have_moved || again) {
        may_have_moved = false;
        ids.reset();  // as whom the folders of the target were opened
        Result<OwnedFd> cwd = target.process.OpenFolder("cwd");
        ids.emplace(target.status);
        if (!ids->status().ok()) return ids->status();
        if (cwd.ok()) file.MoveTo(std::move(*cwd));
      }
      const AttachFile::Made made = file.Make();
      if (made == AttachFile::Made::kBusy) {
        if (const Status status = wait.Pause(); !status.ok()) return status;
        continue;
      }
      // The JVM may have opened its socket for another tool just before the lock was free.
      if (made == AttachFile::Made::kYes && asked == 0) {
        OwnedFd late;
        const Result<SocketState> by_now = Connect(target, late, wait);
        if (by_now.ok() && *by_now == SocketState::kListens) return Status();
      }
      if (made == AttachFile::Made::kTaken) {
        return Status(
            Code::kIo,
            fmt::format("{} cannot be asked to listen, because .attach_pid{} in its working "
                        "directory or /tmp is no regular file ({}): remove it",
                        target.process.Name(), target.status.inner_pid, file.why_not()));
      }
      if (made == AttachFile::Made::kNo) {
        return Status(Code::kIo,
                      fmt::format("cannot make the file .attach_pid{} in the working directory or "
                                  "/tmp of {}: {}",
                                  target.status.inner_pid, target.process.Name(), file.why_not()));
      }
      if (!target.process.SendQuit()) {
        if (target.process.HasEnded()) return target.process.Ended();
        return Status(Code::kIo, fmt::format("cannot send SIGQUIT to {}: {}", target.process.Name(),
                                             std::strerror(errno)));
      }
      ++asked;
      asked_at = Clock::now();
    }
    if (const Status status = wait.Pause(); !status.ok()) {
      if (HeldSignals::IsPending() || target.process.HasEnded()) return status;
      return Silent(target, wait, asked > 0);
    }
  }
}

Result<std::string> Exchange(const JvmTarget& target, const std::string& request,
                             TargetWait& wait) {
  OwnedFd connection;
  if (Status status = ConnectToListener(target, connection, wait); !status.ok()) return status;
  for (size_t sent = 0; sent < request.size();) {
    const ssize_t n = send(connection.get(), request.data() + sent, request.size() - sent,
                           MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      sent += static_cast<size_t>(n);
    } else if (errno == EAGAIN) {
      if (Status status = wait.For(connection.get(), POLLOUT); !status.ok()) return status;
    } else if (errno == EPIPE || errno == ECONNRESET) {
      break;  // what it said before that is the reason
    } else if (errno != EINTR) {
      return Status(Code::kIo, fmt::format("cannot send a request to {}: {}", target.process.Name(),
                                           std::strerror(errno)));
    }
  }
  std::string answer;
  char buffer[1 << 14];
  for (;;) {
    const ssize_t n = recv(connection.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n > 0) {
      answer.append(buffer, static_cast<size_t>(n));
      if (answer.size() > kMostAnswer) {
        return Status(Code::kLimit, fmt::format("{} answers with more than {} MiB",
                                                target.process.Name(), kMostAnswer >> 20));
      }
    } else if (n == 0 || errno == ECONNRESET) {
      break;
    } else if (errno == EAGAIN) {
      if (Status status = wait.For(connection.get(), POLLIN); !status.ok()) return status;
    } else if (errno != EINTR) {
      return Status(Code::kIo, fmt::format("cannot read the answer of {}: {}",
                                           target.process.Name(), std::strerror(errno)));
    }
  }
  if (answer.empty() && target.process.EndsNow()) return target.process.Ended();
  return answer;
}

}  // namespace iprof::jvm
