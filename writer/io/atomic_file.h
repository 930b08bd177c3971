// AtomicFile: a file that appears whole or not at all.
//
// Guarantees: bytes go to a temporary file beside the target (same folder, ".NAME.PID.N.tmp");
// Commit() flushes it to disk, gives it the old file's permissions, renames it over the target and
// flushes the folder. Until the rename has happened the target is untouched; on any failure, or
// when destroyed without Commit(), the temporary file is removed; nobody can read it before who
// could not read the old file. A symbolic link of our user or of root is followed: the file that it
// points to is replaced, or made where it is not there yet. Anybody else's link is refused, and
// nobody can slip one in meanwhile (see file_place.h). What is there and is no regular file (a device,
// a FIFO) cannot be replaced and is written directly; a folder is refused. A name of one of our own
// descriptors (/dev/stdout, /dev/fd/3) means that descriptor, whatever is behind it: it is written to
// at its own position, as the shell that opened it wants (>>, or a group of commands with one
// output). Failures are kIo and name the path, the step and the reason. One thread at a time; no
// exceptions except std::bad_alloc.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "writer/base/status.h"
#include "writer/base/system_calls.h"
#include "writer/io/byte_stream.h"
#include "writer/io/file_place.h"

namespace iprof {

class AtomicFile final : public ByteSink {
 public:
  static Result<std::unique_ptr<AtomicFile>> Create(const std::string& path,
                                                    SystemCalls& calls = SystemCalls::Real());
  ~AtomicFile() override;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  Status Write(std::string_view bytes) override;
  Status Commit();
  // Where it is made; empty when written directly.
  std::string temporary_path() const {
    return temporary_.empty() ? "" : place_->folder_path() + "/" + temporary_;
  }

 private:
  explicit AtomicFile(SystemCalls& calls) : calls_(calls) {}
  Status Fail(std::string_view step, int error);
  Status OpenWhatIsThere();
  Status OpenTemporary();
  void Discard();

  SystemCalls& calls_;
  std::string path_;  // as given
  std::optional<FilePlace> place_;
  std::string temporary_;  // its name in the place's folder
  int fd_ = -1;
  std::optional<mode_t> old_mode_;
};

}  // namespace iprof
