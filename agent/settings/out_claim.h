// OutClaim: the file name that one JVM has to itself, so that two live JVMs never write one file.
//
// A JVM whose name is taken gets the first free one of "app.iprof", "app.1.iprof", "app.2.iprof" …
// Everything that a JVM writes beside its profile is named after path(): the raw file of app.1.iprof is
// app.1.iraw.
//
// Example: three JVMs start with out=app.iprof, and the second is killed.
//
//   JVM 1   app.iprof ............................................. ends: the claim is over
//   JVM 2       app.1.iprof, app.1.iraw .... kill -9
//   JVM 3                                        app.1.iprof again: the kernel ended JVM 2's lock
//
// JVM 3 replaces what JVM 2 left, unless its rule is kUnused: then it gets app.2.iprof.
//
// Guarantees: no other live process has a claim on the same file (writer/profile/io/lock_file.h), even by another
// path. The claim ends with the object, with Release, or with the process, also by kill -9; a
// later JVM then gets the name again. A device, a pipe or a descriptor has no claim: any number of JVMs
// may write to it. Where the file system has no locks, the name is used without a claim; see problem().
// Threads: any; one at a time per object.
// Failure: Take returns kLimit if all names are taken.
#pragma once

#include <cstdint>
#include <string>

#include "writer/base/status.h"
#include "writer/profile/io/lock_file.h"

namespace iprof::vm {

// Which names are considered.
enum class ClaimRule : uint8_t {
  kReplace,   // an existing file will be replaced
  kUnused,    // an existing file is kept, so its name is passed over
  kNumbered,  // as kUnused; also, the name without a number is for all JVMs (merge=y)
};

class OutClaim {
 public:
  // `path` is absolute.
  static Result<OutClaim> Take(const std::string& path, ClaimRule rule = ClaimRule::kReplace);
  OutClaim() = default;

  // Empty without Take.
  const std::string& path() const { return path_; }
  // Why path() has a number although the name without it could be written; empty if it has none.
  const std::string& why_numbered() const { return why_numbered_; }
  // Why there is no lock; empty if there is one, or if the file needs none.
  const std::string& problem() const { return problem_; }
  bool is_held() const { return lock_.is_held(); }
  // path() stays.
  void Release() { lock_.Release(); }

 private:
  LockFile lock_;
  std::string path_;
  std::string why_numbered_;
  std::string problem_;
};

}  // namespace iprof::vm
