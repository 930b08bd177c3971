// RecordingFile: the bytes of a recording of Java Flight Recorder (JFR), by offset, through one window.
//
// Why no mapping: if another process shortens a mapped file, reading it ends this process. Here it is an error value.
//
// Example: a recording of 5 GB has 430 chunks of 12 MB. A view of a chunk's first event reads the whole chunk into the window,
// and all further views of the chunk are free. A chunk of more than kWindow bytes is read window by window.
//
// Guarantees: takes kWindow bytes, or the size of the largest view that was asked for. Reads nothing outside the file.
// Threads: one at a time. Failure: kIo if the system refuses, kBadInput if the bytes are not there; the sentence has no file
// name. Throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "writer/base/status.h"

namespace iprof::jfr {

class RecordingFile {
 public:
  static constexpr size_t kWindow = size_t{16} << 20;

  // A regular file of this size, which stays open.
  RecordingFile(int fd, uint64_t size) : fd_(fd), size_(size) {}
  // Bytes in memory.
  explicit RecordingFile(std::vector<uint8_t> bytes)
      : size_(bytes.size()), window_(std::move(bytes)) {}

  uint64_t size() const { return size_; }
  // Exactly so many bytes, valid until the next call.
  Result<std::span<const uint8_t>> View(uint64_t offset, size_t size);

 private:
  Status Fill(uint64_t offset, size_t size);

  int fd_ = -1;
  uint64_t size_;
  uint64_t at_ = 0;  // of the window's first byte
  std::vector<uint8_t> window_;
};

// Whether a file that begins so is a recording. `first` has at least four bytes of a longer file.
inline bool BeginsRecording(std::span<const uint8_t> first) {
  return first.size() >= 4 && first[0] == 'F' && first[1] == 'L' && first[2] == 'R' &&
         first[3] == 0;
}

}  // namespace iprof::jfr
