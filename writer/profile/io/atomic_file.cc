#include "writer/profile/io/atomic_file.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "writer/base/open_file.h"
#include "writer/profile/io/temporary_file.h"

namespace iprof {
namespace {

// How long a pipe's reader may take to come, and to read something: 20 s.
constexpr int kPipeSlices = 400;
constexpr int kPipeSliceMs = 50;
constexpr int kAttempts = 100;  // temporary names to try, as files of a dead process may have some

std::string NextTemporaryName(const std::string& name) {
  static std::atomic<unsigned> counter{0};
  return TemporaryNameFor(name, counter.fetch_add(1));
}

}  // namespace

Result<std::unique_ptr<AtomicFile>> AtomicFile::Create(const std::string& path, SystemCalls& calls,
                                                       Readers readers) {
  std::unique_ptr<AtomicFile> file(new AtomicFile(calls, readers));
  file->path_ = path;
  if (path.empty()) return Status(Code::kIo, "cannot write a file without a name");
  Result<FilePlace> place = FilePlace::Find(path, calls);
  if (!place.ok()) return Status(Code::kIo, path + ": cannot write: " + place.status().message());
  file->place_ = std::move(*place);
  Status status = file->OpenWhatIsThere();
  if (status.ok() && file->fd_ < 0) status = file->OpenTemporary();
  if (!status.ok()) return status;
  return file;
}

// Opens targets that are written directly. Opens nothing if a regular file is to be replaced
// or created.
Status AtomicFile::OpenWhatIsThere() {
  const char* const name = place_->name().c_str();
  if (place_->descriptor() && place_->descriptor()->ours) {
    fd_ = calls_.Dup(place_->descriptor()->number);
    return fd_ < 0 ? Fail("cannot open", errno) : Status();
  }
  struct stat old {};
  if (place_->descriptor()) {
    if (calls_.Fstatat(place_->folder(), name, &old, 0) != 0) return Fail("cannot look at", errno);
  } else if (place_->found()) {
    old = *place_->found();
  } else {
    return {};
  }
  if (S_ISDIR(old.st_mode)) return Fail("is a directory", 0);
  if (calls_.Faccessat(place_->folder(), name, W_OK) != 0) return Fail("cannot write", errno);
  if (S_ISREG(old.st_mode)) {
    if (place_->descriptor()) return Fail("is a name of an open file, which cannot be replaced", 0);
    if (old.st_uid == ::geteuid()) {
      old_mode_ = old.st_mode & 07777;
      old_list_ = AccessList::Of(place_->folder(), place_->name(), old);
    } else {
      readers_ = Readers::kOwner;
    }
    return {};
  }
  if (Status status = OpenStream(); !status.ok()) return status;
  struct stat opened {};
  if (calls_.Fstatat(fd_, "", &opened, AT_EMPTY_PATH) != 0 || opened.st_dev != old.st_dev ||
      opened.st_ino != old.st_ino)
    return Fail("was replaced while it was opened", 0);
  return {};
}

// A pipe without a reader may get one soon: the user may have started both programs.
Status AtomicFile::OpenStream() {
  const int no_follow = place_->descriptor() ? 0 : O_NOFOLLOW;
  for (int slice = 0;; ++slice) {
    Result<OwnedFd> opened = OpenFile(place_->folder(), place_->name(), O_WRONLY | no_follow,
                                      FileKind::kStream, 0, calls_);
    const int error = errno;
    if (opened.ok()) {
      fd_ = opened->Release();
      return {};
    }
    if (error != ENXIO || slice == kPipeSlices) return Fail(opened.status());
    calls_.Poll(-1, 0, kPipeSliceMs);
  }
}

Status AtomicFile::OpenTemporary() {
  RemoveAbandonedTemporaries(place_->folder(), place_->name());
  const mode_t mode = old_mode_ || readers_ != Readers::kByUmask ? 0600 : 0666;
  for (int attempt = 0; fd_ < 0; ++attempt) {
    std::string name = NextTemporaryName(place_->name());
    Result<OwnedFd> made =
        OpenFile(place_->folder(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                 FileKind::kRegular, mode, calls_);
    if (made.ok()) {
      fd_ = made->Release();
      temporary_ = std::move(name);
      HoldTemporary(fd_, calls_);
    } else if (errno != EEXIST || attempt == kAttempts) {
      return Fail("cannot create a temporary file beside it", errno);
    }
  }
  if (!old_mode_ && readers_ == Readers::kGroup) AllowOurGroup();
  return {};
}

// Some folders give their own group or list to new files: then the file stays as it was made, for
// its owner only.
void AtomicFile::AllowOurGroup() {
  struct stat made {};
  if (calls_.Fstatat(fd_, "", &made, AT_EMPTY_PATH) != 0 || made.st_gid != ::getegid()) return;
  if (AccessList::IsOn(fd_)) return;
  const mode_t mask = ::umask(0077);  // no other call returns the mask
  ::umask(mask);
  calls_.Fchmod(fd_, 0640 & ~mask);
}

// The list first: the mode would open the one that the folder gave. If the old one is not known or
// cannot be given, the group bits may mean other people than before: then they are closed.
bool AtomicFile::GiveOldPermissions() {
  const mode_t closed = old_list_.GiveTo(fd_) ? 0 : S_IRWXG;
  return calls_.Fchmod(fd_, *old_mode_ & ~closed) == 0;
}

AtomicFile::~AtomicFile() { Discard(); }

Status AtomicFile::Write(std::string_view bytes) {
  if (fd_ < 0) return Fail("was closed before", 0);
  while (!bytes.empty()) {
    const ssize_t count = calls_.Write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      if (!WaitForReader()) return Fail("cannot write: its reader takes nothing", 0);
      continue;
    }
    if (count <= 0) return Fail("cannot write", count < 0 ? errno : EIO);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

bool AtomicFile::WaitForReader() const {
  for (int slice = 0; slice < kPipeSlices; ++slice) {
    if (calls_.Poll(fd_, POLLOUT, kPipeSliceMs) > 0) return true;
  }
  return false;
}

Status AtomicFile::Commit() {
  if (fd_ < 0) return Fail("was closed before", 0);
  const bool direct = temporary_.empty();
  if (!direct) {
    if (old_mode_ && !GiveOldPermissions()) return Fail("cannot set permissions", errno);
    if (calls_.Fsync(fd_) != 0) return Fail("cannot flush to disk", errno);
  }
  if (calls_.Close(std::exchange(fd_, -1)) != 0) return Fail("cannot close", errno);
  if (direct) return {};
  if (calls_.Renameat(place_->folder(), temporary_.c_str(), place_->name().c_str()) != 0) {
    return Fail("cannot put the new file in place", errno);
  }
  temporary_.clear();
  // The rename must reach the disk, too. A folder that we may not read cannot be flushed; the
  // kernel writes it later.
  const Result<OwnedFd> folder =
      OpenFile(place_->folder(), ".", O_RDONLY, FileKind::kFolder, 0, calls_);
  if (!folder.ok()) return {};
  const int error = calls_.Fsync(folder->get()) == 0 ? 0 : errno;
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

Status AtomicFile::Fail(const Status& opening) {
  Discard();
  return {opening.code(), path_ + ": cannot open: " + opening.message()};
}

void AtomicFile::Discard() {
  if (fd_ >= 0) calls_.Close(std::exchange(fd_, -1));
  if (!temporary_.empty()) {
    calls_.Unlinkat(place_->folder(), std::exchange(temporary_, {}).c_str());
  }
}

}  // namespace iprof
