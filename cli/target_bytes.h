// TargetBytes: the bytes of a file that a target's agent wrote for this tool.
//
// Why: the target's user can make the file as large as it likes, and go on writing to it.
//
// Guarantees: there are no more bytes than the file has now. Reading ends when the time is up, or, after a second, when the
// user interrupts (HeldSignals); what takes less than a second is not worth an interrupt.
// Threads: one. Failure: kIo, with the name.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "writer/base/open_file.h"
#include "writer/io/byte_stream.h"

namespace iprof::cli {

class TargetBytes final : public ByteSource {
 public:
  // The file must outlive it. `name` is for messages; `most` is the time for all reads.
  TargetBytes(const OwnedFd& file, std::string name, std::chrono::milliseconds most);
  Result<size_t> Read(char* into, size_t size) override;

 private:
  using Clock = std::chrono::steady_clock;

  const OwnedFd& file_;
  const std::string name_;
  const std::chrono::milliseconds most_;
  const Clock::time_point start_ = Clock::now();
  off_t at_ = 0;
  off_t end_ = 0;
};

}  // namespace iprof::cli
