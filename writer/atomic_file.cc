#include "writer/atomic_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace iprof {
namespace {

constexpr int kAttempts = 100;  // temporary names, should some be taken by files of a dead process
constexpr size_t kNameBytesInTemporary = 100;  // a name has at most 255 bytes, and ours gets longer

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The file that the path leads to, or the path itself when that cannot be found.
std::string FollowLinks(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string target(resolved);
  ::free(resolved);
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
  file->target_ = path;
  if (path.empty()) return Status(Code::kIo, "cannot write a file without a name");
  struct stat old {};
  if (calls.Stat(path.c_str(), &old) == 0) {
    if (S_ISDIR(old.st_mode)) return file->Fail("is a directory", 0);
    if (calls.Access(path.c_str(), W_OK) != 0) return file->Fail("cannot write", errno);
    if (!S_ISREG(old.st_mode)) {
      file->fd_ = calls.Open(path.c_str(), O_WRONLY | O_CLOEXEC, 0);
      if (file->fd_ < 0) return file->Fail("cannot open", errno);
      return file;
    }
    file->target_ = FollowLinks(path);
    file->old_mode_ = old.st_mode & 07777;
  } else if (errno != ENOENT) {
    return file->Fail("cannot look at", errno);
  }
  for (int attempt = 0; file->fd_ < 0; ++attempt) {
    std::string name = TemporaryName(file->target_);
    file->fd_ = calls.Open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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
