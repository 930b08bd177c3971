#include "writer/atomic_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <utility>

namespace iprof {
namespace {

constexpr int kAttempts = 100;  // temporary names, should some be taken by files of a dead process
constexpr size_t kNameBytesInTemporary = 100;  // a name has at most 255 bytes, and ours gets longer
constexpr int kMostLinks = 40;                 // as many as the kernel follows

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string RealPath(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  std::string real(resolved == nullptr ? "" : resolved);
  ::free(resolved);
  return real;
}

// A process's descriptor that has a name as a file.
struct NamedDescriptor {
  int number;
  bool ours;
};

// What looks like a link in /proc/PID/fd is none: it leads to the open file itself, whose name may be
// gone or by now be another file's.
std::optional<NamedDescriptor> DescriptorNamed(const std::string& path) {
  const char* const end = path.data() + path.size();
  const char* const name = path.data() + path.rfind('/') + 1;
  NamedDescriptor descriptor{};
  const auto parsed = std::from_chars(name, end, descriptor.number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return {};
  const std::string folder = RealPath(FolderOf(path));
  if (!folder.starts_with("/proc/") || !folder.ends_with("/fd")) return {};
  const std::string self = RealPath("/proc/self");
  descriptor.ours = !self.empty() && folder.starts_with(self + "/");
  return descriptor;
}

// Where a path leads.
struct Target {
  std::string path;  // no link, or one that cannot be followed
  std::optional<NamedDescriptor> descriptor;
};

// Link by link, since realpath() finds no target that is still to be made.
Target FollowLinks(const std::string& path, SystemCalls& calls) {
  Target target{path, {}};
  for (int links = 0; links < kMostLinks; ++links) {
    target.descriptor = DescriptorNamed(target.path);
    if (target.descriptor) break;
    char text[PATH_MAX];
    const ssize_t size = calls.Readlink(target.path.c_str(), text, sizeof(text));
    if (size <= 0) break;
    std::string next(text, static_cast<size_t>(size));
    if (next.front() != '/') next.insert(0, FolderOf(target.path) + "/");
    target.path = std::move(next);
  }
  return target;
}

std::string TemporaryName(const std::string& target) {
  static std::atomic<unsigned> counter{0};
  const size_t slash = target.rfind('/');
  const size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return target.substr(0, begin) + "." + target.substr(begin, kNameBytesInTemporary) + "." +
         std::to_string(::getpid()) + "." + std::to_string(counter.fetch_add(1)) + ".tmp";
}

}  // namespace

Result<std::unique_ptr<AtomicFile>> AtomicFile::Create(const std::string& path,
                                                       SystemCalls& calls) {
  std::unique_ptr<AtomicFile> file(new AtomicFile(calls));
  file->path_ = path;
  if (path.empty()) return Status(Code::kIo, "cannot write a file without a name");
  const Target target = FollowLinks(path, calls);
  file->target_ = target.path;
  if (target.descriptor && target.descriptor->ours) {
    file->fd_ = calls.Dup(target.descriptor->number);
    if (file->fd_ < 0) return file->Fail("cannot open", errno);
    return file;
  }
  struct stat old {};
  if (calls.Stat(path.c_str(), &old) == 0) {
    if (S_ISDIR(old.st_mode)) return file->Fail("is a directory", 0);
    if (calls.Access(path.c_str(), W_OK) != 0) return file->Fail("cannot write", errno);
    if (!S_ISREG(old.st_mode)) {
      file->fd_ = calls.Open(path.c_str(), O_WRONLY | O_CLOEXEC, 0);
      if (file->fd_ < 0) return file->Fail("cannot open", errno);
      return file;
    }
    struct stat found {};
    if (calls.Stat(target.path.c_str(), &found) != 0) {
      return file->Fail("cannot follow its links", errno);
    }
    if (found.st_dev != old.st_dev || found.st_ino != old.st_ino || target.descriptor) {
      return file->Fail("is a name of an open file, which cannot be replaced", 0);
    }
    file->old_mode_ = old.st_mode & 07777;
  } else if (errno != ENOENT) {
    return file->Fail("cannot look at", errno);
  }
  const mode_t mode = file->old_mode_ ? 0600 : 0666;
  for (int attempt = 0; file->fd_ < 0; ++attempt) {
    std::string name = TemporaryName(file->target_);
    file->fd_ = calls.Open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file->fd_ >= 0) {
      file->temporary_ = std::move(name);
    } else if (errno != EEXIST || attempt == kAttempts) {
      return file->Fail("cannot create a temporary file beside it", errno);
    }
  }
  return file;
}

AtomicFile::~AtomicFile() { Discard(); }

Status AtomicFile::Write(std::string_view bytes) {
  if (fd_ < 0) return Fail("was closed before", 0);
  while (!bytes.empty()) {
    const ssize_t count = calls_.Write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Fail("cannot write", count < 0 ? errno : EIO);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

Status AtomicFile::Commit() {
  if (fd_ < 0) return Fail("was closed before", 0);
  const bool direct = temporary_.empty();
  if (!direct) {
    if (old_mode_ && calls_.Fchmod(fd_, *old_mode_) != 0)
      return Fail("cannot set permissions", errno);
    if (calls_.Fsync(fd_) != 0) return Fail("cannot flush to disk", errno);
  }
  if (calls_.Close(std::exchange(fd_, -1)) != 0) return Fail("cannot close", errno);
  if (direct) return {};
  if (calls_.Rename(temporary_.c_str(), target_.c_str()) != 0) {
    return Fail("cannot put the new file in place", errno);
  }
  temporary_.clear();
  // The rename itself must reach the disk, too. A folder that we may not read cannot be flushed:
  // then the kernel does it in its own time.
  const int folder = calls_.Open(FolderOf(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (folder < 0) return {};
  const int error = calls_.Fsync(folder) == 0 ? 0 : errno;
  calls_.Close(folder);
  if (error != 0 && error != EINVAL)
    return Fail("is in place, but its folder cannot be flushed to disk", error);
  return {};
}

Status AtomicFile::Fail(std::string_view step, int error) {
  Discard();
  std::string message = path_ + ": " + std::string(step);
  if (error != 0) message.append(": ").append(std::strerror(error));
  return {Code::kIo, std::move(message)};
}

void AtomicFile::Discard() {
  if (fd_ >= 0) calls_.Close(std::exchange(fd_, -1));
  if (!temporary_.empty()) calls_.Unlink(std::exchange(temporary_, {}).c_str());
}

}  // namespace iprof
