// Raw files (writer/records/raw) and recordings (recording_input.h) as inputs of commands. Their first bytes identify them, under any name.
// The name identifies one that has fewer bytes than that, or none.
//
// Guarantees: a file that a running JVM is writing can be read. No more than the first bytes of
// other inputs are read, and none are lost.
// Threads: any; one per object and descriptor.
// Failure: a Status that names the file.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>

#include "cli/files/recording_input.h"
#include "writer/base/open_file.h"
#include "writer/base/run_id.h"
#include "writer/base/status.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/records/raw/raw_profile.h"

namespace iprof::cli {

// An input's descriptor; '-' is standard input, which stays open.
class InputFile {
 public:
  // A pipe is waited for until something writes into it.
  explicit InputFile(const std::string& path);

  Status status() const;  // whether it could be opened
  int fd() const { return is_standard_ ? STDIN_FILENO : opened_.ok() ? opened_->get() : -1; }
  const std::string& name() const { return name_; }  // for messages
  // nullopt: a pipe, or another file that can be read only once.
  std::optional<uint64_t> regular_size() const { return regular_size_; }

 private:
  const bool is_standard_;
  const std::string name_;
  const Result<OwnedFd> opened_;  // not open for standard input
  std::optional<uint64_t> regular_size_;
};

// An input as a command meets it: a raw file, a recording, or anything else, which is read from `source`.
class SniffedInput {
 public:
  // Reads as many bytes as are needed to know what it is. The file must outlive the input.
  static Result<SniffedInput> Open(const InputFile& file);

  std::optional<RawProfile> raw;
  std::optional<RecordingInput> recording;
  // The profile of either; null if it is neither.
  Profile* made();
  // The bytes from the first on, if it is neither.
  ByteSource& source() { return source_; }

 private:
  // Gives the first bytes again.
  class Source final : public ByteSource {
   public:
    Source(int fd, std::string name, std::string first)
        : file_(fd, std::move(name)), first_(std::move(first)) {}
    Result<size_t> Read(char* into, size_t size) override;

   private:
    FdSource file_;
    std::string first_;
    size_t done_ = 0;
  };

  explicit SniffedInput(Source source) : source_(std::move(source)) {}

  Source source_;
};

// Of which run a raw file's newest snapshot is. Reads only a few pages, and nothing of an input that can be read only
// once. Not known: that, or no raw file, or one without a snapshot that can be read.
RunId RawRunOf(const std::string& path);

// Whether it is a file that begins as a raw file, also a damaged one.
bool IsRawFile(const std::string& path);

// The snapshot of a raw file, also of one that is empty or damaged; others are refused.
Result<RawProfile> ReadRawFile(const std::string& path);

// The same of an open file. `name` is for messages.
Result<RawProfile> ReadRawFile(int fd, const std::string& name);

// A profile, a raw file or a recording; '-' is standard input.
Result<Profile> ReadAnyProfile(const std::string& path);

}  // namespace iprof::cli
