#include "writer/records/raw/raw_output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "writer/base/open_file.h"
#include "writer/profile/io/temporary_file.h"

namespace iprof {
namespace {

constexpr unsigned kMostAttempts = 100;

bool IsSameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

RawOutput::RawOutput(std::string path, FilePlace place, SystemCalls& calls)
    : calls_(calls), path_(std::move(path)), place_(std::move(place)) {}

Status RawOutput::Fail(std::string_view step, int error) const {
  return {Code::kIo, path_ + ": " + std::string(step) + ": " + std::strerror(error)};
}

// Not created yet.
Result<std::unique_ptr<RawOutput>> RawOutput::At(const std::string& path, SystemCalls& calls) {
  Result<FilePlace> place = FilePlace::Find(path, calls);
  if (!place.ok()) return Status(Code::kIo, path + ": cannot create: " + place.status().message());
  if (place->descriptor())
    return Status(Code::kUsage, path + ": cannot create: is a name of an open file");
  return std::unique_ptr<RawOutput>(new RawOutput(path, std::move(*place), calls));
}

// Leaves the reason in errno.
bool RawOutput::Open(const std::string& name) {
  Result<OwnedFd> made = OpenFile(place_.folder(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                                  FileKind::kRegular, 0600, calls_);
  if (made.ok()) fd_ = made->Release();
  return made.ok();
}

Result<std::unique_ptr<RawOutput>> RawOutput::Create(const std::function<std::string(int)>& name_of,
                                                     SystemCalls& calls) {
  std::string last;  // that exists
  Status unusable;   // why the first name cannot be used that does not merely exist
  for (unsigned attempt = 0;; ++attempt) {
    const std::string path = name_of(static_cast<int>(attempt));
    if (path.empty() && last.empty() && !unusable.ok()) return unusable;
    if (path.empty())
      return Status(Code::kLimit, last + ": exists already, and so do the other names for it");
    Result<std::unique_ptr<RawOutput>> made = At(path, calls);
    if (made.ok()) {
      if ((*made)->Open((*made)->place_.name())) return made;
      if (errno != EEXIST || attempt == kMostAttempts) return (*made)->Fail("cannot create", errno);
      last = path;
    } else if (made.status().code() == Code::kUsage) {
      return made;  // its other names make no sense
    } else {
      // Such as a link of another user, who would otherwise decide that there is no file.
      if (unusable.ok()) unusable = made.status();
      if (attempt == kMostAttempts) return unusable;
    }
  }
}

Result<std::unique_ptr<RawOutput>> RawOutput::Replacement() const {
  struct stat old {};
  if (!is_open() || calls_.Fstatat(fd_, "", &old, AT_EMPTY_PATH) != 0)
    return Status(Code::kIo, path_ + ": cannot be replaced: was removed");
  Result<std::unique_ptr<RawOutput>> made = At(path_, calls_);
  if (!made.ok()) return made;
  RawOutput& output = **made;
  output.replaced_ = old;
  RemoveAbandonedTemporaries(output.place_.folder(), output.place_.name());
  for (unsigned attempt = 0;; ++attempt) {
    const std::string name = TemporaryNameFor(output.place_.name(), attempt);
    if (output.Open(name)) {
      output.temporary_ = name;
      HoldTemporary(output.fd_, calls_);
      return made;
    }
    if (errno != EEXIST || attempt == kMostAttempts)
      return output.Fail("cannot create a temporary file beside it", errno);
  }
}

void RawOutput::Close() {
  if (is_open()) calls_.Close(std::exchange(fd_, -1));
  if (!temporary_.empty()) calls_.Unlinkat(place_.folder(), temporary_.c_str());
  temporary_.clear();
}

Status RawOutput::Write(std::span<const uint8_t> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count =
        calls_.Pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Fail("cannot write", count < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
    written_ += static_cast<uint64_t>(count);
    end_ = std::max(end_, offset);
  }
  return {};
}

// Whether the name now belongs to another file, or to none. If the folder cannot be searched any more, that is not known.
bool RawOutput::IsMoved(const struct stat& ours) const {
  struct stat there {};
  if (calls_.Fstatat(place_.folder(), place_.name().c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT;
  return !IsSameFile(ours, there);
}

Status RawOutput::Check() const {
  struct stat now {};
  if (!is_open()) return {Code::kIo, path_ + ": was removed"};
  if (calls_.Fstatat(fd_, "", &now, AT_EMPTY_PATH) != 0) return Fail("cannot look at", errno);
  if (now.st_nlink == 0) return {Code::kIo, path_ + ": was removed by another program"};
  if (temporary_.empty() && IsMoved(now))
    return {Code::kIo, path_ + ": was moved by another program"};
  if (static_cast<uint64_t>(now.st_size) < end_)
    return {Code::kIo, path_ + ": was cut by another program"};
  return {};
}

Status RawOutput::TakePlace() {
  if (temporary_.empty()) return {};
  struct stat there {};
  const char* const name = place_.name().c_str();
  name_is_taken_ = false;
  if (calls_.Fstatat(place_.folder(), name, &there, AT_SYMLINK_NOFOLLOW) == 0) {
    name_is_taken_ = !IsSameFile(there, *replaced_);
    if (name_is_taken_)
      return {Code::kIo, path_ + ": now is another program's file, which is left as it is"};
  } else if (errno != ENOENT) {
    return Fail("cannot look at", errno);
  }
  if (calls_.Renameat(place_.folder(), temporary_.c_str(), name) != 0)
    return Fail("cannot put the new file in place", errno);
  temporary_.clear();
  return {};
}

void RawOutput::Remove() {
  struct stat ours {};
  struct stat there {};
  const char* const name = place_.name().c_str();
  if (is_open() && temporary_.empty() && calls_.Fstatat(fd_, "", &ours, AT_EMPTY_PATH) == 0 &&
      calls_.Fstatat(place_.folder(), name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
      IsSameFile(ours, there)) {
    calls_.Unlinkat(place_.folder(), name);
  }
  Close();
}

}  // namespace iprof
