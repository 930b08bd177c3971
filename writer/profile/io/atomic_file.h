// AtomicFile: a file that appears complete or not at all.
//
// Guarantees:
//  - Bytes go to a temporary file beside the target (same folder, ".NAME.PID.N.tmp"). Commit()
//    flushes it to disk, gives it the old file's permissions (mode and access list), renames it
//    over the target and flushes the folder. Until the rename, the target is not touched. A file of
//    another user has no say: what replaces it is for our user only, as it may have been put there
//    to read ours.
//  - On any failure, or when destroyed without Commit(), the temporary file is removed. Only those
//    who could read the old file can read the temporary one.
//  - A symbolic link of our user or of root is followed: the file that it points to is replaced, or
//    created if it does not exist. Links of other users are refused, and no link can be put in
//    place between the check and the use (see file_place.h).
//  - An existing target that is not a regular file (a device, a FIFO) cannot be replaced and is
//    written directly; what FileKind::kStream leaves out is refused (open_file.h). A FIFO without a
//    reader, or with one that reads nothing, is given up after 20 s.
//  - A name of one of our own descriptors (/dev/stdout, /dev/fd/3) means that descriptor, be it a
//    file, a pipe or a terminal. It is written at its current position, as the shell that opened it expects (>>,
//    or a group of commands with one output).
// Threads: one at a time.
// Failure: kIo, with the path, the step and the reason. Throws nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "writer/base/status.h"
#include "writer/base/system_calls.h"
#include "writer/profile/io/access_list.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/profile/io/file_place.h"

namespace iprof {

// Who may read a file that replaces none: whom the umask allows, of these only our user and group,
// or our user only. With kGroup, it is our user only if the file gets another group, that of its
// folder, or an access list. To know the umask, Create sets it to 0077 for a moment.
enum class Readers : uint8_t { kByUmask, kGroup, kOwner };

class AtomicFile final : public ByteSink {
 public:
  static Result<std::unique_ptr<AtomicFile>> Create(const std::string& path,
                                                    SystemCalls& calls = SystemCalls::Real(),
                                                    Readers readers = Readers::kByUmask);
  ~AtomicFile() override;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  Status Write(std::string_view bytes) override;
  Status Commit();
  // Where the file is made; empty if the target is written directly.
  std::string temporary_path() const {
    return temporary_.empty() ? "" : place_->folder_path() + "/" + temporary_;
  }

 private:
  AtomicFile(SystemCalls& calls, Readers readers) : calls_(calls), readers_(readers) {}
  Status Fail(std::string_view step, int error);
  Status Fail(const Status& opening);
  Status OpenWhatIsThere();
  Status OpenStream();
  Status OpenTemporary();
  bool WaitForReader() const;
  void AllowOurGroup();
  bool GiveOldPermissions();
  void Discard();

  SystemCalls& calls_;
  Readers readers_;
  std::string path_;  // as the caller gave it
  std::optional<FilePlace> place_;
  std::string temporary_;  // its name in the place's folder
  int fd_ = -1;
  std::optional<mode_t> old_mode_;
  AccessList old_list_;  // with old_mode_
};

}  // namespace iprof
