#include "cli/jfr/recording_file.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace iprof::jfr {

Result<std::span<const uint8_t>> RecordingFile::View(uint64_t offset, size_t size) {
  if (offset > size_ || size > size_ - offset) {
    return Status(Code::kBadInput,
                  fmt::format("it has {} bytes, and {} are needed at {}", size_, size, offset));
  }
  const bool is_there = offset >= at_ && offset + size <= at_ + window_.size();
  if (!is_there) {
    if (Status status = Fill(offset, size); !status.ok()) return status;
  }
  return std::span<const uint8_t>(window_).subspan(static_cast<size_t>(offset - at_), size);
}

Status RecordingFile::Fill(uint64_t offset, size_t size) {
  window_.resize(std::max(size, static_cast<size_t>(std::min<uint64_t>(kWindow, size_ - offset))));
  at_ = offset;
  size_t done = 0;
  while (done < window_.size()) {
    const ssize_t count =
        pread(fd_, window_.data() + done, window_.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      window_.clear();
      return {Code::kIo, fmt::format("cannot be read: {}", std::strerror(errno))};
    }
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  window_.resize(done);
  if (done >= size) return {};
  return {Code::kBadInput, "became shorter while it was read"};
}

}  // namespace iprof::jfr
