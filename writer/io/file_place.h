// FilePlace: the folder and the name that a path leads to, for making a file there and nowhere else.
//
// Guarantees:
//  - Somebody else's symbolic link is never followed, wherever it stands in the path: not as the last
//    name, not as a folder, not behind another link. Links of this process's user and of root are
//    followed, also to a file that is not there yet. (In a user namespace the ids outside it, root's
//    among them, all look alike. There a link of such an owner is followed, too, if it stands in a
//    folder of that owner which nobody else may write.)
//  - What was looked at is what is used: the path is walked name by name, each link is held open while
//    its owner and text are read, and the folder stays open. So whatever is renamed or replaced
//    later, a file that is made through folder() and name() with O_NOFOLLOW is made in that folder.
//  - /proc/PID/fd/N, which looks like a link, is an open file: it is never followed, see descriptor().
//
// Failures are kIo and hold the reason only; the caller says what it was doing with which path.
// Any thread; one object in one thread at a time. No exceptions except std::bad_alloc.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "writer/base/status.h"
#include "writer/base/system_calls.h"

namespace iprof {

// A folder that is held open; good for the calls that end in "at", not for reading it.
class OpenFolder {
 public:
  explicit OpenFolder(int fd) : fd_(fd) {}
  ~OpenFolder() { Close(); }
  OpenFolder(OpenFolder&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OpenFolder& operator=(OpenFolder&& other) noexcept {
    Close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  int fd() const { return fd_; }

 private:
  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int fd_;
};

// A process's descriptor that has a name as a file.
struct NamedDescriptor {
  int number;
  bool ours;
};

enum class MissingFolders : uint8_t { kFail, kMake };

class FilePlace {
 public:
  // The path must name a file: a path that ends in '/' is one of a folder, and fails.
  static Result<FilePlace> Find(const std::string& path, SystemCalls& calls = SystemCalls::Real());

  // The folder alone. kMake: the missing ones of the path are made, those behind links are not.
  static Result<OpenFolder> FindFolder(const std::string& path, MissingFolders missing,
                                       SystemCalls& calls = SystemCalls::Real());

  int folder() const { return folder_.fd(); }
  const std::string& name() const { return name_; }
  // Where links have led, for messages.
  const std::string& folder_path() const { return folder_path_; }

  // What is there now, which is no link; nothing where nothing is, and for a descriptor.
  const std::optional<struct stat>& found() const { return found_; }
  const std::optional<NamedDescriptor>& descriptor() const { return descriptor_; }

 private:
  friend class PathWalk;
  explicit FilePlace(OpenFolder folder) : folder_(std::move(folder)) {}

  OpenFolder folder_;
  std::string folder_path_;
  std::string name_;
  std::optional<struct stat> found_;
  std::optional<NamedDescriptor> descriptor_;
};

}  // namespace iprof
