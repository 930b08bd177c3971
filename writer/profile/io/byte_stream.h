// ByteSource and ByteSink: where profile bytes come from and go to.
//
// Guarantees: errors are returned as Status. A short read is not the end of the input, a read of 0
// bytes is. The caller closes file descriptors given to Fd*. With these interfaces, reader and
// writer can be tested and fuzzed without files, and gzip is just a layer.
// Threads: one at a time per object.
// Failure: kIo, kBadInput for damaged gzip input, kLimit for input that inflates too much, or
// kInternal if zlib refuses. Throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads at least one byte; returns 0 at the end.
  virtual Result<size_t> Read(char* into, size_t size) = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Status Write(std::string_view bytes) = 0;
  // Ends the output: writes what is still buffered (a gzip trailer). Call once, before destruction.
  virtual Status Finish() { return {}; }
};

class StringSource final : public ByteSource {
 public:
  // The text must outlive the source. `step` limits a single read: tests use it to place buffer
  // edges anywhere.
  explicit StringSource(std::string_view text, size_t step = SIZE_MAX) : text_(text), step_(step) {}
  Result<size_t> Read(char* into, size_t size) override;

 private:
  std::string_view text_;
  size_t step_;
};

class FdSource final : public ByteSource {
 public:
  FdSource(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
  Result<size_t> Read(char* into, size_t size) override;

 private:
  int fd_;
  std::string name_;
};

class StringSink final : public ByteSink {
 public:
  Status Write(std::string_view bytes) override;
  std::string& text() { return text_; }

 private:
  std::string text_;
};

class FdSink final : public ByteSink {
 public:
  FdSink(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
  Status Write(std::string_view bytes) override;

 private:
  int fd_;
  std::string name_;
};

// Reads plain or gzip input; the first two bytes show which it is. As in gzip(1), input may consist
// of several gzip members. A small file must not fill the memory, so input that inflates to more
// than kFreeInflation bytes and to more than kMaxInflation times its size is refused with kLimit.
// The ratio alone would not do: the samples of a deep recursion inflate to 400 times their size
// (482 KB to 197 MB was seen), and zlib can reach 1,032. Uncompressed input has no such limit.
inline constexpr uint64_t kMaxInflation = 100;
inline constexpr uint64_t kFreeInflation = uint64_t{512} << 20;
struct InflationLimit {
  uint64_t free_bytes = kFreeInflation;
  uint64_t ratio = kMaxInflation;
};
std::unique_ptr<ByteSource> MakeGunzipSource(ByteSource& from, std::string name,
                                             InflationLimit limit = {});

// Deterministic: no time stamp and no name in the header.
std::unique_ptr<ByteSink> MakeGzipSink(ByteSink& to);

}  // namespace iprof
