#include "cli/jvm/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <string_view>

#include "cli/jvm/target_wait.h"

namespace iprof::jvm {
namespace {

constexpr size_t kMostBytes = 64 << 20;  // of a file of /proc; maps of huge processes are some MB

// From errno of a file in the folder of a process. Any other error says nothing about it: this process may have no
// descriptor or no memory left.
bool IsGone(int error) { return error == ENOENT || error == ESRCH; }

}  // namespace

std::string UserName(uid_t uid) {
  const passwd* const entry = getpwuid(uid);
  return entry == nullptr ? fmt::format("{}", uid) : std::string(entry->pw_name);
}

Result<Process> Process::Open(pid_t pid) {
  const std::string path = fmt::format("/proc/{}", pid);
  Result<OwnedFd> folder = OpenFile(path, O_RDONLY, FileKind::kFolder);
  const int error = errno;
  if (folder.ok()) {
    Process process(pid, std::move(*folder));
    const Result<ProcessStatus> status = process.ReadStatus();
    // A signal to a thread reaches its whole process, and the file of an attach has the process's number.
    if (status.ok() && status->thread_of != 0) {
      return Status(Code::kUnsupported,
                    fmt::format("{} is a thread of process {}", pid, status->thread_of));
    }
    return process;
  }
  if (pid > 0 && kill(pid, 0) != 0 && errno == EPERM) {
    // The process is there, but /proc hides other users' processes.
    return Status(Code::kIo,
                  fmt::format("process {} belongs to another user: run iprof as that user or as "
                              "root",
                              pid));
  }
  if (error == ENOENT) return Status(Code::kIo, fmt::format("there is no process {}", pid));
  return Status(Code::kIo, fmt::format("cannot open {}: {}", path, std::strerror(error)));
}

std::string Process::Name() const { return fmt::format("process {}", pid_); }

Status Process::Ended() const { return Status(Code::kIo, fmt::format("{} has ended", Name())); }

Status Process::LivesOn() const {
  if (EndsNow()) return Ended();
  const Result<ProcessStatus> status = ReadStatus();
  if (!status.ok()) return status.status();
  if (status->has_ended()) return Ended();
  return status->has_memory ? Status() : WithoutMemoryYet();
}

Status Process::WithoutMemory() const { return EndsNow() ? Ended() : WithoutMemoryYet(); }

Status Process::WithoutMemoryYet() const {
  const Result<ProcessStatus> status = ReadStatus();
  if (status.ok() && status->state == 'Z') {
    return Status(Code::kUnsupported,
                  fmt::format("{} goes on without its first thread, by which the kernel shows its "
                              "memory",
                              Name()));
  }
  return Status(
      Code::kUnsupported,
      fmt::format("{} has no memory: it is ending, or it is a thread of the kernel", Name()));
}

Status Process::Refused(int error, const char* what) const {
  if (HasEnded()) return Ended();
  if (IsGone(error)) {
    if (Status lives = LivesOn(); !lives.ok()) return lives;
  }
  if (error != EACCES && error != EPERM) {
    return Status(Code::kIo,
                  fmt::format("cannot read /proc/{}/{}: {}", pid_, what, std::strerror(error)));
  }
  const Result<ProcessStatus> status = ReadStatus();
  const uid_t own = geteuid();
  const bool is_root = own == 0;
  constexpr std::string_view kCapability =
      "with CAP_SYS_PTRACE (in a container: --cap-add=SYS_PTRACE)";
  if (status.ok() && status->uid != own) {
    return Status(Code::kIo,
                  fmt::format("{} belongs to user {}, and iprof runs as {}: run it as that user or "
                              "{}",
                              Name(), UserName(status->uid), UserName(own),
                              is_root ? kCapability : "as root"));
  }
  return Status(Code::kIo, fmt::format("the system forbids looking into {} (/proc/{}/{}: {}): run "
                                       "iprof {}",
                                       Name(), pid_, what, std::strerror(error),
                                       is_root ? kCapability : "as root, or with CAP_SYS_PTRACE"));
}

Result<std::string> Process::Read(const char* file) const {
  const Result<OwnedFd> fd = OpenFile(folder_.get(), file, O_RDONLY, FileKind::kRegular);
  if (!fd.ok()) return Refused(errno, file);
  std::string text;
  if (!ReadAll(fd->get(), kMostBytes, text)) return Refused(errno, file);
  return text;
}

std::string Process::ReadIfReadable(const char* file) const {
  const Result<OwnedFd> fd = OpenFile(folder_.get(), file, O_RDONLY, FileKind::kRegular);
  std::string text;
  if (!fd.ok() || !ReadAll(fd->get(), kMostBytes, text)) text.clear();
  return text;
}

std::optional<std::string> Process::StatusText() const {
  const Result<OwnedFd> fd = OpenFile(folder_.get(), "status", O_RDONLY, FileKind::kRegular);
  std::string text;
  if (!fd.ok() || !ReadAll(fd->get(), kMostBytes, text)) return std::nullopt;
  return text;
}

Result<ProcessStatus> Process::ReadStatus() const {
  const auto text = StatusText();
  const int error = errno;
  if (!text) {
    if (IsGone(error)) return Ended();
    return Status(Code::kIo,
                  fmt::format("cannot read /proc/{}/status: {}", pid_, std::strerror(error)));
  }
  const auto status = ParseProcessStatus(*text, pid_);
  if (status) return *status;
  return Status(Code::kUnsupported, fmt::format("/proc/{}/status lacks what iprof needs", pid_));
}

Result<OwnedFd> Process::OpenFolder(const char* link) const {
  Result<OwnedFd> fd = OpenFile(folder_.get(), link, O_PATH, FileKind::kFolder);
  if (!fd.ok()) return Refused(errno, link);
  return fd;
}

OwnedFd Process::OpenMapping(uint64_t begin, uint64_t end) const {
  const std::string name = fmt::format("map_files/{:x}-{:x}", begin, end);
  Result<OwnedFd> file = OpenFile(folder_.get(), name, O_RDONLY, FileKind::kRegular);
  return file.ok() ? std::move(*file) : OwnedFd();
}

bool Process::HasEnded() const {
  const auto text = StatusText();
  if (!text) return IsGone(errno);
  const auto status = ParseProcessStatus(*text, pid_);
  return status && status->has_ended();
}

bool Process::EndsNow() const {
  for (int i = 0; i < 50 && !HeldSignals::IsPending(); ++i) {
    if (HasEnded()) return true;
    poll(nullptr, 0, 10);
  }
  return HasEnded();
}

bool Process::SendQuit() const {
  // A folder of /proc names its process, not its number.
  if (syscall(SYS_pidfd_send_signal, folder_.get(), SIGQUIT, nullptr, 0) == 0) return true;
  // Before Linux 5.1, or where a filter of system calls does not know it.
  if (errno != ENOSYS && errno != EPERM) return false;
  return !HasEnded() && kill(pid_, SIGQUIT) == 0;
}

}  // namespace iprof::jvm
