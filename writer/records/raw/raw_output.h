// RawOutput: the open file that a RawWriter writes to.
//
// Guarantees:
//  - It is created with O_EXCL and O_NOFOLLOW, for its owner only; links of other users are not followed
//    (writer/profile/io/file_place.h). Only pwrite is used.
//  - A file that replaces another one has a temporary name until TakePlace. Neither TakePlace nor Remove
//    touches a file of another program that has taken the name. A file that was moved is left alone.
// Threads: one at a time; the owner locks.
// Failure: a Status that names the path and the step. After a failed Write, some of the bytes may be in the
// file.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "writer/base/status.h"
#include "writer/base/system_calls.h"
#include "writer/profile/io/file_place.h"

namespace iprof {

class RawOutput {
 public:
  // name_of: the path for each attempt, 0, 1, …; the next one is tried if a file exists, or if the path leads to no place
  // where one may be created, as another user's link does. Empty: give up. Then the code is kLimit if a file exists.
  static Result<std::unique_ptr<RawOutput>> Create(const std::function<std::string(int)>& name_of,
                                                   SystemCalls& calls);
  // An empty file beside this one. It gets this one's name with TakePlace.
  Result<std::unique_ptr<RawOutput>> Replacement() const;

  // Closes the file and leaves it where it is. One that never took its place is removed.
  ~RawOutput() { Close(); }
  RawOutput(const RawOutput&) = delete;
  RawOutput& operator=(const RawOutput&) = delete;

  Status Write(std::span<const uint8_t> bytes, uint64_t offset);
  // Fails if the file no longer has its name, or no longer has all that was written.
  Status Check() const;
  // Does nothing if the file has its name already.
  Status TakePlace();
  // Whether TakePlace found another program's file with the name.
  bool name_is_taken() const { return name_is_taken_; }
  // Closes the file and removes it, unless its name now belongs to another one.
  void Remove();

  bool is_open() const { return fd_ >= 0; }
  const std::string& path() const { return path_; }
  uint64_t end() const { return end_; }              // of what was written
  uint64_t total_bytes() const { return written_; }  // of all writes

 private:
  RawOutput(std::string path, FilePlace place, SystemCalls& calls);

  static Result<std::unique_ptr<RawOutput>> At(const std::string& path, SystemCalls& calls);
  bool Open(const std::string& name);
  bool IsMoved(const struct stat& ours) const;
  void Close();
  Status Fail(std::string_view step, int error) const;

  SystemCalls& calls_;
  const std::string path_;
  const FilePlace place_;
  std::string temporary_;  // its name, until it replaces `replaced_`
  std::optional<struct stat> replaced_;
  bool name_is_taken_ = false;
  int fd_ = -1;
  uint64_t end_ = 0;
  uint64_t written_ = 0;
};

}  // namespace iprof
