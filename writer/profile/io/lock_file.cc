#include "writer/profile/io/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>

#include "writer/base/murmur3.h"
#include "writer/base/small_file.h"

namespace iprof {
namespace {

constexpr size_t kLongestName = 255;
constexpr std::string_view kClaimSuffix = ".lock";
constexpr std::string_view kTurnSuffix = ".lock.merge";
constexpr auto kBetweenTries = std::chrono::milliseconds(5);
constexpr int kAttempts = 100;  // while others remove the file at the same moment

Status Refused(int error) { return {Code::kIo, std::strerror(error)}; }

Status Taken() { return {Code::kLimit, std::string(LockFile::kTaken)}; }

Status TakenByUser(uid_t owner) {
  return {Code::kLimit, "its lock belongs to another user (uid " + std::to_string(owner) + ")"};
}

struct Opened {
  int fd = -1;
  bool is_new = false;
  Status status;
};

// Opens the lock's file, or creates it.
Opened Open(int folder, const char* name, SystemCalls& calls) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    constexpr int kFlags = O_RDWR | O_NOFOLLOW;
    Result<OwnedFd> made =
        OpenFile(folder, name, kFlags | O_CREAT | O_EXCL, FileKind::kRegular, 0600, calls);
    if (made.ok()) return {made->Release(), true, {}};
    if (errno != EEXIST) return {-1, false, made.status()};
    struct stat found {};
    if (calls.Fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) continue;  // it was removed after the attempt to create it
      return {-1, false, Refused(errno)};
    }
    if (found.st_uid != ::geteuid()) return {-1, false, TakenByUser(found.st_uid)};
    if (!S_ISREG(found.st_mode)) return {-1, false, {Code::kIo, "its lock is not a regular file"}};
    Result<OwnedFd> there = OpenFile(folder, name, kFlags, FileKind::kRegular, 0, calls);
    if (there.ok()) return {there->Release(), false, {}};
    if (errno != ENOENT) return {-1, false, there.status()};
  }
  return {-1, false, Taken()};
}

// Whether the name still leads to this open file: whoever had the lock before may have removed it.
bool IsNamed(int folder, const char* name, int fd, SystemCalls& calls) {
  struct stat opened {};
  struct stat named {};
  return calls.Fstatat(fd, "", &opened, AT_EMPTY_PATH) == 0 &&
         calls.Fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

std::string LockFile::NameFor(const std::string& name, LockUse use) {
  const std::string_view suffix = use == LockUse::kTurn ? kTurnSuffix : kClaimSuffix;
  std::string text = "." + name;
  if (text.size() + suffix.size() > kLongestName) {
    // Different long names have different locks.
    const uint64_t hash = Murmur3(std::string_view(name)).low;
    text.resize(kLongestName - suffix.size() - 2 * sizeof hash);
    char digits[17] = {};
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    text += digits;
  }
  return text.append(suffix);
}

Result<LockFile> LockFile::Take(const FilePlace& place, std::chrono::milliseconds patience,
                                SystemCalls& calls, LockUse use) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + patience;
  std::string name = NameFor(place.name(), use);
  for (int attempt = 0; attempt < kAttempts;) {
    const Opened opened = Open(place.folder(), name.c_str(), calls);
    if (opened.fd < 0) return opened.status;
    const bool is_locked = calls.Flock(opened.fd, LOCK_EX | LOCK_NB) == 0;
    const int error = errno;
    if (is_locked && IsNamed(place.folder(), name.c_str(), opened.fd, calls)) {
      const int folder = calls.Dup(place.folder());
      if (folder >= 0) return LockFile(OwnedFd(folder), std::move(name), opened.fd);
      const int refused = errno;
      calls.Unlinkat(place.folder(), name.c_str());
      calls.Close(opened.fd);
      return Refused(refused);
    }
    const bool may_wait = error == EWOULDBLOCK || error == EINTR;
    if (!is_locked && !may_wait && opened.is_new) calls.Unlinkat(place.folder(), name.c_str());
    calls.Close(opened.fd);
    if (is_locked) {
      ++attempt;
    } else if (!may_wait) {
      return Refused(error);
    } else if (Clock::now() >= deadline) {
      return Taken();
    } else {
      std::this_thread::sleep_for(kBetweenTries);
    }
  }
  return Taken();
}

bool LockFile::IsHeldBy(const FilePlace& place, pid_t process) {
  struct stat named {};
  if (::fstatat(place.folder(), NameFor(place.name()).c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0)
    return false;
  // "1: FLOCK  ADVISORY  WRITE 4711 08:01:123456 0 EOF". The device may be another one than stat's.
  const std::string holder = " WRITE " + std::to_string(process) + " ";
  const std::string inode = ":" + std::to_string(named.st_ino) + " ";
  constexpr size_t kMostBytes = size_t{16} << 20;
  const std::string locks = ReadSmallFile("/proc/locks", kMostBytes).value_or("");
  for (size_t at = 0; at < locks.size();) {
    const size_t end = std::min(locks.find('\n', at), locks.size());
    const std::string_view line = std::string_view(locks).substr(at, end - at);
    if (line.find("FLOCK") != std::string_view::npos &&
        line.find(holder) != std::string_view::npos && line.find(inode) != std::string_view::npos)
      return true;
    at = end + 1;
  }
  return false;
}

LockFile& LockFile::operator=(LockFile&& other) noexcept {
  if (this == &other) return *this;
  Release();
  folder_ = std::move(other.folder_);
  name_ = std::move(other.name_);
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

void LockFile::Release() {
  if (fd_ < 0) return;
  // Before the lock ends, so that the file cannot be another process's by now. But someone may have
  // replaced it by hand.
  SystemCalls& calls = SystemCalls::Real();
  if (IsNamed(folder_.get(), name_.c_str(), fd_, calls))
    calls.Unlinkat(folder_.get(), name_.c_str());
  calls.Close(std::exchange(fd_, -1));
}

}  // namespace iprof
