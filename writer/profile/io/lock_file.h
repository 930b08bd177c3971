// LockFile: a process's claim on a file name, which ends with the process at the latest. Or its turn to
// add to a file that many processes share; turns and claims do not exclude each other.
//
// A lock on the file itself would not do: a profile is replaced by a rename, and may not exist yet. So
// the lock is on a small empty file beside it, ".NAME.lock", for a turn ".NAME.lock.merge". The lock of
// a claim never ends in ".merge", so the two never meet.
//
// Guarantees:
//  - At most one LockFile of all processes is held for a name in a folder and a use. The kernel releases it when
//    the process ends, also by kill -9, so what a dead process left behind never blocks a name. That
//    holds across containers that share the folder, and over NFS.
//  - Release and the destructor remove the file. Only a process that is killed leaves it, and the next
//    one to release the name removes it.
//  - The file is created exclusively and for its owner only (0600), opened without following links,
//    and never read or written. Another user's file counts as that user's lock, whether it is locked
//    or not: its owner could replace it at any time.
//  - Child processes do not inherit it.
// Threads: any; one at a time per object.
// Failure: Take returns kLimit if another process or user has the name, and kIo if the file system has
// no locks or refuses the file; the message is only the reason. Throws nothing but std::bad_alloc.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "writer/base/status.h"
#include "writer/base/system_calls.h"
#include "writer/profile/io/file_place.h"

namespace iprof {

// What a lock is for.
enum class LockUse : uint8_t {
  kClaim,  // no other process writes the file; perhaps as long as a JVM lives
  kTurn,   // no other process merges into it; as long as a merge takes
};

class LockFile {
 public:
  // The message if another process has it.
  static constexpr std::string_view kTaken = "another running process writes it";

  // Waits so long for a process that has the name.
  static Result<LockFile> Take(const FilePlace& place, std::chrono::milliseconds patience = {},
                               SystemCalls& calls = SystemCalls::Real(),
                               LockUse use = LockUse::kClaim);
  // Whether this process has a claim on the name. False also if the system does not say so.
  static bool IsHeldBy(const FilePlace& place, pid_t process);
  // The lock's own name in the folder.
  static std::string NameFor(const std::string& name, LockUse use = LockUse::kClaim);

  // Holds nothing.
  LockFile() = default;
  ~LockFile() { Release(); }
  LockFile(LockFile&& other) noexcept
      : folder_(std::move(other.folder_)),
        name_(std::move(other.name_)),
        fd_(std::exchange(other.fd_, -1)) {}
  LockFile& operator=(LockFile&& other) noexcept;

  bool is_held() const { return fd_ >= 0; }
  void Release();

 private:
  LockFile(OwnedFd folder, std::string name, int fd)
      : folder_(std::move(folder)), name_(std::move(name)), fd_(fd) {}

  OwnedFd folder_;
  std::string name_;
  int fd_ = -1;
};

}  // namespace iprof
