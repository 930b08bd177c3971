// FilePlace: the folder and the name that a path leads to, to create a file there and nowhere else.
//
// Guarantees:
//  - A symbolic link of another user is never followed, anywhere in the path: neither as the last
//    name, nor as a folder, nor through another link. Links of this process's user and of root are
//    followed, also to a file that does not exist yet. (In a user namespace, root and all other
//    users outside it have the same id. A link of that id is followed only if it is in a folder of
//    the same id to which no one else may write.)
//  - What was checked is what is used: the path is walked name by name, each link is held open
//    while its owner and text are read, and the folder stays open. So a file that is created
//    through folder() and name() with O_NOFOLLOW is created in that folder, even if a name in the
//    path is renamed or replaced later.
//  - /proc/PID/fd/N, which looks like a link, is an open file: it is never followed;
//    see descriptor().
//
// Threads: any; one at a time per object.
// Failure: kIo with only the reason; the caller adds the path and what it was doing. Throws nothing
// but std::bad_alloc.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <utility>

#include "writer/base/open_file.h"
#include "writer/base/status.h"
#include "writer/base/system_calls.h"

namespace iprof {

// A descriptor of a process that a path names.
struct NamedDescriptor {
  int number;
  bool ours;
};

enum class MissingFolders : uint8_t { kFail, kMake };

class FilePlace {
 public:
  // The path must name a file: a path that ends in '/' names a folder, and fails.
  static Result<FilePlace> Find(const std::string& path, SystemCalls& calls = SystemCalls::Real());

  // As Find, for a name in a folder that is already open, perhaps for a path only (O_PATH); `path` is the folder's, for messages.
  static Result<FilePlace> FindIn(const OwnedFd& folder, const std::string& path,
                                  const std::string& name,
                                  SystemCalls& calls = SystemCalls::Real());

  // The folder only, for the calls that end in "at", not for reading it. kMake creates missing folders of the path, for our user only, but not those that
  // links lead to.
  static Result<OwnedFd> FindFolder(const std::string& path, MissingFolders missing,
                                    SystemCalls& calls = SystemCalls::Real());

  int folder() const { return folder_.get(); }
  const std::string& name() const { return name_; }
  // The path after following links, for messages.
  const std::string& folder_path() const { return folder_path_; }

  // What is there now, never a link; empty if nothing is there, and for a descriptor.
  const std::optional<struct stat>& found() const { return found_; }
  const std::optional<NamedDescriptor>& descriptor() const { return descriptor_; }

 private:
  friend class PathWalk;
  explicit FilePlace(OwnedFd folder) : folder_(std::move(folder)) {}

  OwnedFd folder_;
  std::string folder_path_;
  std::string name_;
  std::optional<struct stat> found_;
  std::optional<NamedDescriptor> descriptor_;
};

}  // namespace iprof
