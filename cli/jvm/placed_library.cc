#include "cli/jvm/placed_library.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/jvm/borrowed_ids.h"

namespace iprof::jvm {
namespace {

constexpr mode_t kReadableByAll = 0755;

std::string LastError() { return std::strerror(errno); }

bool IsSharedLibrary(int fd) {
  Elf64_Ehdr header{};
  Elf64_Ehdr own{};
  const OwnedFd self(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  return pread(fd, &header, sizeof header, 0) == sizeof header &&
         pread(self.get(), &own, sizeof own, 0) == sizeof own &&
         std::memcmp(header.e_ident, own.e_ident, EI_DATA + 1) == 0 && header.e_type == ET_DYN &&
         header.e_machine == own.e_machine;
}

// The library's path, if the target finds the same file there and may read it.
std::string PathInTarget(const JvmTarget& target, int library) {
  std::array<char, PATH_MAX> path{};
  const std::string link = fmt::format("/proc/self/fd/{}", library);
  const ssize_t length = readlink(link.c_str(), path.data(), path.size());
  struct stat ours {};
  if (length <= 0 || fstat(library, &ours) != 0) return {};
  const std::string real_path(path.data(), static_cast<size_t>(length));
  const BorrowedIds ids(target.status);
  if (!ids.status().ok()) return {};
  const OwnedFd seen = OpenWithin(target.root.get(), real_path, O_RDONLY | O_NONBLOCK);
  struct stat theirs {};
  if (!seen.is_open() || fstat(seen.get(), &theirs) != 0) return {};
  const bool is_same = theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
  return is_same ? real_path : std::string();
}

Status CopyAll(int from, int to) {
  std::array<char, 1 << 16> buffer;
  for (off_t at = 0;;) {
    const ssize_t n = pread(from, buffer.data(), buffer.size(), at);
    if (n == 0) return Status();
    if (n < 0) return Status(Code::kIo, LastError());
    at += n;
    for (ssize_t written = 0; written < n;) {
      const ssize_t now = write(to, buffer.data() + written, static_cast<size_t>(n - written));
      if (now < 0) return Status(Code::kIo, LastError());
      written += now;
    }
  }
}

}  // namespace

PlacedLibrary::PlacedLibrary(PlacedLibrary&& other) noexcept
    : target_(other.target_),
      path_(std::move(other.path_)),
      was_mapped_(other.was_mapped_),
      folder_name_(std::exchange(other.folder_name_, std::string())) {}

Result<PlacedLibrary> PlacedLibrary::Place(const JvmTarget& target, const std::string& library) {
  PlacedLibrary placed(target);
  if (target.jvm.agent) {
    placed.path_ = target.jvm.agent->path;
    placed.was_mapped_ = true;
    return placed;
  }
  const OwnedFd fd(open(library.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) {
    return Status(Code::kIo,
                  fmt::format("cannot read the agent's library {}: {}", library, LastError()));
  }
  if (!IsSharedLibrary(fd.get())) {
    return Status(Code::kUsage,
                  fmt::format("{} is not a shared library for this processor", library));
  }
  placed.path_ = PathInTarget(target, fd.get());
  if (!placed.path_.empty()) return placed;
  const Status copied = placed.CopyFrom(fd.get());
  if (!copied.ok()) {
    return Status(copied.code(),
                  fmt::format("{} cannot read {}, and copying it to its /tmp failed: {}",
                              target.process.Name(), library, copied.message()));
  }
  return placed;
}

Status PlacedLibrary::CopyFrom(int library) {
  const BorrowedIds ids(target_->status);
  if (!ids.status().ok()) return ids.status();
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) {
    return Status(Code::kIo, LastError());
  }
  std::string name = fmt::format(".iprof-{:016x}", random);
  const int tmp = target_->tmp.get();
  if (mkdirat(tmp, name.c_str(), 0700) != 0) return Status(Code::kIo, LastError());
  folder_name_ = std::move(name);
  const OwnedFd folder(
      openat(tmp, folder_name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const OwnedFd copy(openat(folder.get(), kAgentLibrary,
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!folder.is_open() || !copy.is_open()) return Status(Code::kIo, LastError());
  if (Status status = CopyAll(library, copy.get()); !status.ok()) return status;
  // After the contents, and in spite of the umask.
  if (fchmod(copy.get(), kReadableByAll) != 0 || fchmod(folder.get(), kReadableByAll) != 0) {
    return Status(Code::kIo, LastError());
  }
  path_ = fmt::format("/tmp/{}/{}", folder_name_, kAgentLibrary);
  return Status();
}

void PlacedLibrary::Remove() {
  if (folder_name_.empty()) return;
  const BorrowedIds ids(target_->status);
  const OwnedFd folder(openat(target_->tmp.get(), folder_name_.c_str(),
                              O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.is_open()) unlinkat(folder.get(), kAgentLibrary, 0);
  unlinkat(target_->tmp.get(), folder_name_.c_str(), AT_REMOVEDIR);
  folder_name_.clear();
}

}  // namespace iprof::jvm
