// ByteSource and ByteSink: where profile bytes come from and go to.
//
// Guarantees: implementations return errors as Status and never throw; a short read is not the end,
// a read of 0 is. Each object is used by one thread at a time. File descriptors given to Fd* stay
// the caller's to close. They exist so that reader and writer can be tested (and fuzzed) without
// files, and gzip is one layer.
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
  // At least one byte, or 0 at the end.
  virtual Result<size_t> Read(char* into, size_t size) = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Status Write(std::string_view bytes) = 0;
  // Everything was handed over; writes what is held back (a gzip trailer). Call once, before
  // destruction.
  virtual Status Finish() { return {}; }
};

class StringSource final : public ByteSource {
 public:
  // The text must outlive the source. `step` bounds a single read: tests use it to put buffer edges
  // anywhere.
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

// Reads plain or gzip input (told apart by the first two bytes; several gzip members follow each
// other as gzip(1) has it). A small file must not fill the memory, so what inflates to more than
// kFreeInflation and to more than kMaxInflation times its size is refused with kLimit. The ratio
// alone says little: the samples of a deep recursion inflate to 400 times their size (482 KB to
// 197 MB was seen), and zlib can reach 1,032. Text that is not compressed has no such limit.
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
