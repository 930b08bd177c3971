// PrivateFolder: a fresh folder in the target's /tmp that only the target's user and root can read or change.
//
// A library that the target cannot see is copied into it, the tool's socket is there, and during a recording what must survive
// the program.
//
// Guarantees: it belongs to the target's user. Its files are reached through the folder as it was made, so no
// link leads elsewhere. It is removed with what is in it when this object goes, also if the target has ended by
// then, but not after Keep. It is locked while this object lives, so that no other tool takes it for one that
// was left behind (left_behind.h).
// Threads: one. Failure: a Status with the system's reason.
#pragma once

#include <string>
#include <string_view>

#include "cli/jvm/jvm_target.h"
#include "writer/base/status.h"

namespace iprof::jvm {

class PrivateFolder {
 public:
  // The target must outlive it. Also removes what other tools left behind.
  static Result<PrivateFolder> Make(const JvmTarget& target);
  // Whether a file of /tmp has a name of ours.
  static bool IsName(std::string_view name);
  ~PrivateFolder() { Remove(); }
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;

  // As the target sees it: "/tmp/.iprof-0123456789abcdef".
  std::string path() const { return "/tmp/" + name_; }
  std::string PathOf(const std::string& file) const { return path() + "/" + file; }
  int fd() const { return folder_.get(); }
  // What is in it cannot be saved elsewhere: it stays until a later tool finds that it was left behind.
  void Keep() { name_.clear(); }

  // A socket with this name, which listens and does not block, and which the target's user alone may use.
  Result<OwnedFd> Listen(const std::string& name) const;
  // A regular file of the target's user, for reading; not open if there is none.
  OwnedFd OpenFile(const char* file) const;

 private:
  PrivateFolder(const JvmTarget& target, std::string name, OwnedFd folder)
      : target_(&target), name_(std::move(name)), folder_(std::move(folder)) {}
  void Remove();

  const JvmTarget* target_;
  std::string name_;
  OwnedFd folder_;
};

}  // namespace iprof::jvm
