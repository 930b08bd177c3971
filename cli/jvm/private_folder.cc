#include "cli/jvm/private_folder.h"

#include <fmt/core.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "agent/settings/out_path.h"
#include "cli/jvm/borrowed_ids.h"
#include "cli/jvm/left_behind.h"

namespace iprof::jvm {
namespace {

Status LastError() { return Status(Code::kIo, std::strerror(errno)); }

constexpr int kBacklog = 4;

}  // namespace

bool PrivateFolder::IsName(std::string_view name) { return vm::IsToolsFolderName(name); }

Result<PrivateFolder> PrivateFolder::Make(const JvmTarget& target) {
  RemoveLeftBehind(target);
  const BorrowedIds ids(target.status);
  if (!ids.status().ok()) return ids.status();
  // Not getrandom, which needs glibc 2.25.
  uint64_t random = 0;
  std::string bytes;
  const Result<OwnedFd> source = iprof::OpenFile("/dev/urandom", O_RDONLY, FileKind::kStream);
  if (!source.ok() || !ReadAll(source->get(), sizeof random, bytes) ||
      bytes.size() != sizeof random) {
    return Status(Code::kIo, "/dev/urandom cannot be read");
  }
  std::memcpy(&random, bytes.data(), sizeof random);
  std::string name =
      fmt::format("{}{:0{}x}", vm::kToolsFolderPrefix, random, vm::kToolsFolderDigits);
  const int tmp = target.tmp.get();
  if (mkdirat(tmp, name.c_str(), 0700) != 0) return LastError();
  Result<OwnedFd> folder = OpenWithin(tmp, name, O_RDONLY | O_NOFOLLOW, FileKind::kFolder);
  if (!folder.ok()) {
    unlinkat(tmp, name.c_str(), AT_REMOVEDIR);
    return folder.status();
  }
  flock(folder->get(), LOCK_EX | LOCK_NB);
  return PrivateFolder(target, std::move(name), std::move(*folder));
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : target_(other.target_),
      name_(std::exchange(other.name_, std::string())),
      folder_(std::move(other.folder_)) {}

Result<OwnedFd> PrivateFolder::Listen(const std::string& name) const {
  // The agent asks the kernel who listens: not root, if the target has another idea of that.
  const BorrowedIds ids(target_->status);
  if (!ids.status().ok()) return ids.status();
  OwnedFd listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.is_open()) return LastError();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "/proc/self/fd/{}/{}",
                   folder_.get(), name);
  if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      fchmodat(folder_.get(), name.c_str(), 0600, 0) != 0 || listen(listener.get(), kBacklog) != 0)
    return LastError();
  return listener;
}

OwnedFd PrivateFolder::OpenFile(const char* file) const {
  Result<OwnedFd> fd = OpenWithin(folder_.get(), file, O_RDONLY | O_NOFOLLOW, FileKind::kRegular);
  struct stat found {};
  if (!fd.ok() || fstat(fd->get(), &found) != 0) return OwnedFd();
  // A hard link could be to any file of another user.
  if (found.st_uid != target_->status.uid) return OwnedFd();
  return std::move(*fd);
}

void PrivateFolder::Remove() {
  if (name_.empty()) return;
  const BorrowedIds ids(target_->status);
  for (const std::string& file : NamesIn(folder_.get())) unlinkat(folder_.get(), file.c_str(), 0);
  unlinkat(target_->tmp.get(), name_.c_str(), AT_REMOVEDIR);
  name_.clear();
}

}  // namespace iprof::jvm
