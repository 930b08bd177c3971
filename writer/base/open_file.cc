#include "writer/base/open_file.h"

#include <dirent.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

namespace iprof {
namespace {

Status Refused(int error) {
  // Waiting for the end of a lease takes up to 45 s.
  Status status(Code::kIo,
                error == EWOULDBLOCK ? "another program has a lease on it" : std::strerror(error));
  errno = error;
  return status;
}

struct Look {
  const char* reason = nullptr;  // why it is of the wrong kind
  int error = 0;
};

// Whose it is does not matter here.
Look LookAt(mode_t mode, FileKind kind) {
  if (kind == FileKind::kFolder && S_ISDIR(mode)) return {};
  if (S_ISLNK(mode)) return {"it is a symbolic link", ELOOP};
  if (kind == FileKind::kFolder) return {"it is not a folder", ENOTDIR};
  if (S_ISREG(mode)) return {};
  if (S_ISDIR(mode)) return {"it is a directory", EISDIR};
  if (S_ISSOCK(mode)) return {"it is a socket", EINVAL};
  if (S_ISBLK(mode)) return {"it is a block device", EINVAL};
  if (kind == FileKind::kStream) return {};
  return {S_ISFIFO(mode) ? "it is a named pipe" : "it is a device", EINVAL};
}

Status WrongKind(const Look& look) {
  Status status(Code::kBadInput, look.reason);
  errno = look.error;
  return status;
}

bool IsAnonymous(int fd) {
  struct statfs system {};
  return ::fstatfs(fd, &system) == 0 && system.f_type == PIPEFS_MAGIC;
}

// Opens nothing, but finds it.
OwnedFd FindWithin(int root, const std::string& path, int flags) {
  // Names are looked up from the root folder, so a leading '/' changes nothing.
  const std::string relative = path.substr(std::min(path.find_first_not_of('/'), path.size()));
  const char* const name = relative.empty() ? "." : relative.c_str();
  open_how how{};
  how.flags = static_cast<uint64_t>(O_PATH | O_CLOEXEC | flags);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const long fd = ::syscall(SYS_openat2, root, name, &how, sizeof how);
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return OwnedFd(static_cast<int>(fd));
  // Before Linux 5.6, or where a filter of system calls does not know it: no link is followed.
  std::string_view rest = relative;
  OwnedFd folder(::openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (folder.is_open() && rest.find('/') != std::string_view::npos) {
    const std::string part(rest.substr(0, rest.find('/')));
    rest.remove_prefix(part.size() + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      errno = ELOOP;
      return OwnedFd();
    }
    folder = OwnedFd(
        ::openat(folder.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!folder.is_open()) return folder;
  const std::string last(rest.empty() ? std::string_view(".") : rest);
  if (last == "..") {
    errno = ELOOP;
    return OwnedFd();
  }
  return OwnedFd(::openat(folder.get(), last.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC | flags));
}

}  // namespace

Status CheckKind(const struct stat& file, FileKind kind) {
  if (const Look look = LookAt(file.st_mode, kind); look.reason != nullptr) return WrongKind(look);
  if (!S_ISFIFO(file.st_mode) || file.st_uid == ::geteuid() || file.st_uid == 0) return {};
  Status status(Code::kBadInput,
                "it is a named pipe of another user (uid " + std::to_string(file.st_uid) + ")");
  errno = EINVAL;
  return status;
}

Result<OwnedFd> OpenFile(int folder, const std::string& name, int flags, FileKind kind, mode_t mode,
                         SystemCalls& calls) {
  const bool is_new = (flags & O_EXCL) != 0;
  const int no_follow = (flags & O_NOFOLLOW) != 0 ? AT_SYMLINK_NOFOLLOW : 0;
  struct stat found {};
  bool is_there = false;
  if (!is_new && calls.Fstatat(folder, name.c_str(), &found, no_follow) == 0) {
    is_there = true;
    if (const Look look = LookAt(found.st_mode, kind); look.reason != nullptr)
      return WrongKind(look);
  }
  const int as_folder = kind == FileKind::kFolder ? O_DIRECTORY : 0;
  OwnedFd file(calls.Openat(folder, name.c_str(),
                            flags | as_folder | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, mode));
  if (!file.is_open()) {
    const int error = errno;
    if (error != ENXIO || !is_there || !S_ISFIFO(found.st_mode)) return Refused(error);
    if (Status status = CheckKind(found, kind); !status.ok()) return status;
    Status status(Code::kIo, "it is a named pipe, and no process reads it");
    errno = error;
    return status;
  }
  if (is_new) return file;
  if (calls.Fstatat(file.get(), "", &found, AT_EMPTY_PATH) != 0) return Refused(errno);
  // Another file may have got this name between the check and the open.
  if (S_ISFIFO(found.st_mode) && kind == FileKind::kStream && IsAnonymous(file.get())) return file;
  if (Status status = CheckKind(found, kind); !status.ok()) return status;
  return file;
}

Result<OwnedFd> OpenFile(const std::string& path, int flags, FileKind kind) {
  return OpenFile(AT_FDCWD, path, flags, kind);
}

Result<OwnedFd> OpenWithin(int root, const std::string& path, int flags, FileKind kind) {
  OwnedFd found = FindWithin(root, path, flags & O_NOFOLLOW);
  if (!found.is_open()) return Refused(errno);
  if ((flags & O_PATH) == 0) {
    // The name of the descriptor leads to this file and no other.
    return OpenFile("/proc/self/fd/" + std::to_string(found.get()), flags & ~O_NOFOLLOW, kind);
  }
  struct stat file {};
  if (::fstat(found.get(), &file) != 0) return Refused(errno);
  if (Status status = CheckKind(file, kind); !status.ok()) return status;
  return found;
}

void WaitForWriter(int fd) {
  pollfd waited{fd, POLLIN, 0};
  while (::poll(&waited, 1, -1) < 0 && errno == EINTR) {
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

std::vector<std::string> NamesIn(int folder) {
  std::vector<std::string> names;
  Result<OwnedFd> own = OpenFile(folder, ".", O_RDONLY, FileKind::kFolder);
  if (!own.ok()) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(::fdopendir(own->get()), ::closedir);
  if (list == nullptr) return names;
  own->Release();
  while (const dirent* const entry = ::readdir(list.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> NamesIn(const std::string& folder) {
  const Result<OwnedFd> opened = OpenFile(folder, O_PATH, FileKind::kFolder);
  return opened.ok() ? NamesIn(opened->get()) : std::vector<std::string>();
}

bool ReadAll(int fd, size_t limit, std::string& into) {
  char buffer[1 << 13];
  while (into.size() < limit) {
    const ssize_t n = ::read(fd, buffer, std::min(sizeof buffer, limit - into.size()));
    if (n == 0) return true;
    if (n < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    into.append(buffer, static_cast<size_t>(n));
  }
  return true;
}

}  // namespace iprof
