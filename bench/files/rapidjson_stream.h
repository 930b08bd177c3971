// RapidJsonStream: a ByteSource as RapidJSON's input stream, for the comparison of JSON readers.
//
// Guarantees: one window of 128 KiB over an input of any size; only captured text is kept
// in addition. A failed read ends the input; status() returns the failure.
// Threads: one. Failure: as above; std::bad_alloc.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "writer/base/status.h"
#include "writer/profile/io/byte_stream.h"

namespace iprof {

class RapidJsonStream {
 public:
  using Ch = char;

  RapidJsonStream(ByteSource& source, uint64_t base_offset)
      : source_(source), window_(new char[kWindowBytes + 1]), window_offset_(base_offset) {
    at_ = end_ = window_.get();
    Refill();
  }

  // RapidJSON's concept of an input stream: '\0' at the end.
  Ch Peek() const { return *at_; }
  Ch Take() {
    const Ch c = *at_;
    if (++at_ >= end_) Refill();
    return c;
  }
  size_t Tell() const {
    return static_cast<size_t>(window_offset_) + static_cast<size_t>(at_ - window_.get());
  }
  // Never called; it is for parsing in place.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  size_t PutEnd(Ch*) { return 0; }

  const Status& status() const { return status_; }
  bool AtEnd() const { return at_ == end_; }

  // Captures everything that is consumed from now on.
  void StartCapture() {
    captured_.clear();
    captured_from_ = at_;
  }
  std::string TakeCapture() {
    captured_.append(captured_from_, at_);
    captured_from_ = nullptr;
    return std::move(captured_);
  }

 private:
  static constexpr size_t kWindowBytes = size_t{128} << 10;

  void Refill() {
    if (captured_from_ != nullptr) captured_.append(captured_from_, static_cast<const char*>(end_));
    window_offset_ += static_cast<uint64_t>(end_ - window_.get());
    at_ = end_ = window_.get();
    captured_from_ = captured_from_ == nullptr ? nullptr : at_;
    if (!ended_) {
      const Result<size_t> count = source_.Read(window_.get(), kWindowBytes);
      if (count.ok()) {
        end_ += *count;
      } else {
        status_ = count.status();
      }
      ended_ = end_ == at_;
    }
    window_[static_cast<size_t>(end_ - window_.get())] = '\0';
  }

  ByteSource& source_;
  std::unique_ptr<char[]> window_;
  uint64_t window_offset_;
  const char* at_;
  char* end_;
  bool ended_ = false;
  Status status_;
  std::string captured_;
  const char* captured_from_ = nullptr;
};

}  // namespace iprof
