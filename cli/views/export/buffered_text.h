// BufferedText: text or bytes on their way to a sink, in large pieces.
//
// Guarantees: after a failed write, later text is dropped, and Finish returns the first failure.
// Threads: one per object. Failure: as above; std::bad_alloc.
#pragma once

#include <cstddef>
#include <string>

#include "writer/base/status.h"
#include "writer/profile/io/byte_stream.h"

namespace iprof {

class BufferedText {
 public:
  explicit BufferedText(ByteSink& sink) : sink_(sink) {}

  // Where to append.
  std::string& buffer() { return buffer_; }
  // Call now and then, at any place in the text. Returns false if writing is in vain.
  bool Continue() {
    if (buffer_.size() >= kFlushAt) Flush();
    return status_.ok();
  }
  Status Finish() {
    Flush();
    return status_;
  }

 private:
  static constexpr size_t kFlushAt = 1 << 16;

  void Flush() {
    if (status_.ok() && !buffer_.empty()) status_ = sink_.Write(buffer_);
    buffer_.clear();
  }

  ByteSink& sink_;
  std::string buffer_;
  Status status_;
};

}  // namespace iprof
