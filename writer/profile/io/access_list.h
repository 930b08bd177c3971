// AccessList: the list of users and groups that a file has beyond its mode (POSIX ACL). A folder
// may have a default one, which its new files get.
//
// Why: with a list, the group bits of the mode are the most that the list allows to anybody but the
// owner and others. So a chmod to 0640 lets everybody in the list read, not the file's group only.
//
// Guarantees: links are not followed. A file system without lists has none. A list that
// cannot be read is not taken for "none", so no user gets rights by mistake.
// Threads: any. Failure: see the functions.
#pragma once

#include <sys/stat.h>

#include <string>
#include <utility>

namespace iprof {

class AccessList {
 public:
  // Of a regular file in an open folder, which may be open for a path only (O_PATH). Not known if the name
  // now leads to another file than `expected`, or if neither the file nor /proc can be read.
  static AccessList Of(int folder, const std::string& name, const struct stat& expected);

  // Whether an open file has a list; true also if that cannot be known.
  static bool IsOn(int fd);

  AccessList() = default;  // none
  // Gives an open file this list, or takes away the one that it has. false: it may have another
  // one, or this one is not known.
  bool GiveTo(int fd) const;

 private:
  AccessList(bool is_known, std::string bytes) : is_known_(is_known), bytes_(std::move(bytes)) {}
  bool is_known_ = true;
  std::string bytes_{};  // as the kernel has it; empty: none
};

}  // namespace iprof
