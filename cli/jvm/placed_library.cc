#include "cli/jvm/placed_library.h"

#include <elf.h>
#include <fmt/core.h>
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
  const Result<OwnedFd> self = OpenFile("/proc/self/exe", O_RDONLY, FileKind::kRegular);
  return self.ok() && pread(fd, &header, sizeof header, 0) == sizeof header &&
         pread(self->get(), &own, sizeof own, 0) == sizeof own &&
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
  const Result<OwnedFd> seen =
      OpenWithin(target.root.get(), real_path, O_RDONLY, FileKind::kRegular);
  struct stat theirs {};
  if (!seen.ok() || fstat(seen->get(), &theirs) != 0) return {};
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

Result<PlacedLibrary> PlacedLibrary::Place(const JvmTarget& target, const std::string& library) {
  PlacedLibrary placed;
  if (target.jvm.agent) {
    placed.path_ = target.jvm.agent->path;
    placed.was_mapped_ = true;
    return placed;
  }
  const Result<OwnedFd> fd = OpenFile(library, O_RDONLY, FileKind::kRegular);
  if (!fd.ok()) {
    return Status(Code::kIo, fmt::format("cannot read the agent's library {}: {}", library,
                                         fd.status().message()));
  }
  if (!IsSharedLibrary(fd->get())) {
    return Status(Code::kUsage,
                  fmt::format("{} is not a shared library for this processor", library));
  }
  placed.path_ = PathInTarget(target, fd->get());
  if (!placed.path_.empty()) return placed;
  const Status copied = placed.CopyFrom(target, fd->get());
  if (!copied.ok()) {
    return Status(copied.code(),
                  fmt::format("{} cannot read {}, and copying it to its /tmp failed: {}",
                              target.process.Name(), library, copied.message()));
  }
  return placed;
}

Status PlacedLibrary::CopyFrom(const JvmTarget& target, int library) {
  Result<PrivateFolder> folder = PrivateFolder::Make(target);
  if (!folder.ok()) return folder.status();
  const BorrowedIds ids(target.status);
  if (!ids.status().ok()) return ids.status();
  const Result<OwnedFd> copy =
      OpenFile(folder->fd(), kAgentLibrary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
               FileKind::kRegular, 0600);
  if (!copy.ok()) return copy.status();
  if (Status status = CopyAll(library, copy->get()); !status.ok()) return status;
  // After the contents, and in spite of the umask.
  if (fchmod(copy->get(), kReadableByAll) != 0 || fchmod(folder->fd(), kReadableByAll) != 0) {
    return Status(Code::kIo, LastError());
  }
  path_ = folder->PathOf(kAgentLibrary);
  copy_.emplace(std::move(*folder));
  return Status();
}

}  // namespace iprof::jvm
