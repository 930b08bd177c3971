#include "writer/profile/io/file_place.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string_view>
#include <utility>

#include "writer/base/small_file.h"

namespace iprof {
namespace {

constexpr int kMostLinks = 40;  // as many as the kernel follows
constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Status Failure(int error) { return {Code::kIo, std::strerror(error)}; }

std::string LinkText(const std::string& path) {
  char text[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), text, sizeof(text));
  return {text, size < 0 ? 0 : static_cast<size_t>(size)};
}

// The owner that the kernel shows for an id outside this user namespace. If the process is in no
// user namespace, this is just the id of the user "nobody", without that meaning.
bool IsOutsideNamespace(uid_t owner) {
  constexpr uid_t kOverflowUid = 65534;
  if (owner != kOverflowUid) return false;
  const std::optional<std::string> map = ReadSmallFile("/proc/self/uid_map");
  if (!map) return false;
  unsigned long inside = 1;
  unsigned long outside = 1;
  unsigned long count = 0;
  if (!map->empty()) {
    char* end = nullptr;
    inside = std::strtoul(map->c_str(), &end, 10);
    outside = std::strtoul(end, &end, 10);
    count = std::strtoul(end, &end, 10);
  }
  return !(inside == 0 && outside == 0 && count >= kOverflowUid);
}

bool MayFollow(const struct stat& link, const struct stat& folder) {
  if (link.st_uid == ::geteuid() || link.st_uid == 0) return true;
  const bool only_owner_writes = (folder.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  return link.st_uid == folder.st_uid && only_owner_writes && IsOutsideNamespace(link.st_uid);
}

// The names of a path, outermost first, without "." and empty names.
std::deque<std::string> NamesOf(std::string_view path) {
  std::deque<std::string> names;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, slash);
    if (!name.empty() && name != ".") names.emplace_back(name);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return names;
}

}  // namespace

// Walks along one path.
class PathWalk {
 public:
  PathWalk(const std::string& path, MissingFolders missing, SystemCalls& calls)
      : calls_(calls), missing_(missing), names_(NamesOf(path)), folder_(-1) {}

  Status Begin(bool at_root) {
    at_path_ = at_root ? "" : ".";
    folder_ = OwnedFd(calls_.OpenPath(AT_FDCWD, at_root ? "/" : ".", kFolderFlags));
    return folder_.get() < 0 ? Failure(errno) : Status();
  }

  Status BeginIn(const OwnedFd& folder, const std::string& path) {
    at_path_ = path == "/" ? "" : path;
    folder_ = OwnedFd(calls_.Dup(folder.get()));
    return folder_.get() < 0 ? Failure(errno) : Status();
  }

  // Goes through all names but the last `left` ones.
  Status EnterFolders(size_t left) {
    while (names_.size() > left) {
      const std::string name = TakeName();
      if (Enter(name, kFolderFlags)) continue;
      if (errno == ENOENT && missing_ == MissingFolders::kMake && links_ == 0) {
        if (calls_.Mkdirat(folder_.get(), name.c_str(), 0700) != 0 && errno != EEXIST)
          return Failure(errno);
        if (Enter(name, kFolderFlags)) continue;
      }
      if (errno != ENOTDIR && errno != ELOOP) return Failure(errno);
      // The kernel makes the links of /proc: the text of some does not lead to their target.
      if (IsInProc() && Enter(name, kFolderFlags & ~O_NOFOLLOW)) continue;
      if (const Status status = Follow(name, ENOTDIR); !status.ok()) return status;
    }
    return {};
  }

  Result<FilePlace> FindFile() {
    while (true) {
      if (const Status status = EnterFolders(1); !status.ok()) return status;
      if (names_.empty() || names_.front() == "..") return Failure(EISDIR);
      const std::string name = TakeName();
      const std::optional<NamedDescriptor> descriptor = DescriptorNamed(name);
      // The descriptor was not open before: this walk has taken its number.
      if (descriptor && descriptor->ours && descriptor->number == folder_.get())
        return Failure(EBADF);
      struct stat found {};
      const bool is_there = !descriptor && calls_.Fstatat(folder_.get(), name.c_str(), &found,
                                                          AT_SYMLINK_NOFOLLOW) == 0;
      if (!descriptor && !is_there && errno != ENOENT) return Failure(errno);
      if (is_there && S_ISLNK(found.st_mode)) {
        if (const Status status = Follow(name, ELOOP); !status.ok()) return status;
        continue;
      }
      FilePlace place(std::move(folder_));
      place.folder_path_ = at_path_.empty() ? "/" : at_path_;
      place.name_ = name;
      place.descriptor_ = descriptor;
      if (is_there) place.found_ = found;
      return place;
    }
  }

  OwnedFd TakeFolder() { return std::move(folder_); }

 private:
  std::string TakeName() {
    std::string name = std::move(names_.front());
    names_.pop_front();
    return name;
  }

  bool Enter(const std::string& name, int flags) {
    const int fd = calls_.OpenPath(folder_.get(), name.c_str(), flags);
    if (fd < 0) return false;
    folder_ = OwnedFd(fd);
    at_path_ += "/" + name;
    return true;
  }

  // The link is held open, so that owner and text are read from the same link.
  Status Follow(const std::string& name, int error_if_no_link) {
    const int fd = calls_.OpenPath(folder_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return Failure(errno);
    const OwnedFd link(fd);
    struct stat link_facts {};
    struct stat folder_facts {};
    if (calls_.Fstatat(fd, "", &link_facts, AT_EMPTY_PATH) != 0 ||
        calls_.Fstatat(folder_.get(), "", &folder_facts, AT_EMPTY_PATH) != 0)
      return Failure(errno);
    if (!S_ISLNK(link_facts.st_mode)) return Failure(error_if_no_link);
    if (++links_ > kMostLinks) return Failure(ELOOP);
    if (!MayFollow(link_facts, folder_facts)) {
      return {Code::kIo, "the link '" + at_path_ + "/" + name + "' belongs to another user (uid " +
                             std::to_string(link_facts.st_uid) + ") and is not followed"};
    }
    char text[PATH_MAX];
    const ssize_t size = calls_.Readlinkat(fd, "", text, sizeof(text));
    if (size <= 0) return Failure(size == 0 ? ENOENT : errno);
    const std::string_view target(text, static_cast<size_t>(size));
    std::deque<std::string> names = NamesOf(target);
    names_.insert(names_.begin(), names.begin(), names.end());
    return target.front() == '/' ? Begin(true) : Status();
  }

  bool IsInProc() const {
    struct statfs system {};
    return ::fstatfs(folder_.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
  }

  // An entry of /proc/PID/fd only looks like a link: it leads to the open file itself, whose name
  // may be gone, or may by now belong to another file.
  std::optional<NamedDescriptor> DescriptorNamed(const std::string& name) const {
    NamedDescriptor descriptor{};
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data(), end, descriptor.number);
    if (parsed.ec != std::errc() || parsed.ptr != end || !IsInProc()) return {};
    const std::string path = LinkText("/proc/self/fd/" + std::to_string(folder_.get()));
    if (!path.ends_with("/fd")) return {};
    const std::string self = LinkText("/proc/self");
    descriptor.ours = !self.empty() && path.starts_with("/proc/" + self + "/");
    return descriptor;
  }

  SystemCalls& calls_;
  const MissingFolders missing_;
  std::deque<std::string> names_;  // not visited yet
  OwnedFd folder_;
  std::string at_path_;  // "" means the root
  int links_ = 0;
};

Result<FilePlace> FilePlace::Find(const std::string& path, SystemCalls& calls) {
  if (path.empty()) return Failure(ENOENT);
  if (path.back() == '/') return Failure(EISDIR);
  PathWalk walk(path, MissingFolders::kFail, calls);
  if (const Status status = walk.Begin(path.front() == '/'); !status.ok()) return status;
  return walk.FindFile();
}

Result<FilePlace> FilePlace::FindIn(const OwnedFd& folder, const std::string& path,
                                    const std::string& name, SystemCalls& calls) {
  PathWalk walk(name, MissingFolders::kFail, calls);
  if (const Status status = walk.BeginIn(folder, path); !status.ok()) return status;
  return walk.FindFile();
}

Result<OwnedFd> FilePlace::FindFolder(const std::string& path, MissingFolders missing,
                                      SystemCalls& calls) {
  PathWalk walk(path, missing, calls);
  if (const Status status = walk.Begin(path.starts_with('/')); !status.ok()) return status;
  if (const Status status = walk.EnterFolders(0); !status.ok()) return status;
  return walk.TakeFolder();
}

}  // namespace iprof
