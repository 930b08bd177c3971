#include "writer/profile/io/byte_stream.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace iprof {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;

Status IoError(const std::string& name, const char* step, int error) {
  return {Code::kIo, name + ": " + step + ": " + std::strerror(error)};
}

class GunzipSource final : public ByteSource {
 public:
  GunzipSource(ByteSource& from, std::string name, InflationLimit limit)
      : from_(from), name_(std::move(name)), limit_(limit), in_(kBufferBytes) {}
  ~GunzipSource() override {
    if (inflating_) inflateEnd(&stream_);
  }
  GunzipSource(const GunzipSource&) = delete;
  GunzipSource& operator=(const GunzipSource&) = delete;

  Result<size_t> Read(char* into, size_t size) override {
    if (!sniffed_) {
      if (Status status = Sniff(); !status.ok()) return status;
    }
    if (inflating_) return Inflate(into, size);
    if (begin_ < end_) {
      const size_t count = std::min(size, end_ - begin_);
      std::memcpy(into, in_.data() + begin_, count);
      begin_ += count;
      return count;
    }
    return from_.Read(into, size);
  }

 private:
  // Appends input to the buffer; appends nothing at the end of the input.
  Status Fill() {
    if (begin_ == end_) begin_ = end_ = 0;
    Result<size_t> count = from_.Read(in_.data() + end_, in_.size() - end_);
    if (!count.ok()) return count.status();
    at_end_ = *count == 0;
    end_ += *count;
    compressed_ += *count;
    return {};
  }

  Status Sniff() {
    while (end_ < 2 && !at_end_) {
      if (Status status = Fill(); !status.ok()) return status;
    }
    sniffed_ = true;
    if (end_ < 2 || in_[0] != '\x1f' || in_[1] != '\x8b') return {};
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) {
      return {Code::kInternal, name_ + ": zlib cannot start inflating"};
    }
    inflating_ = true;
    return {};
  }

  Status Bad(const char* what) const {
    return {Code::kBadInput, name_ + ": byte " + std::to_string(compressed_ - (end_ - begin_)) +
                                 " of the compressed file: " + what};
  }

  Result<size_t> Inflate(char* into, size_t size) {
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(std::min<size_t>(size, size_t{1} << 30));
    const uInt room = stream_.avail_out;
    while (stream_.avail_out == room) {
      if (begin_ == end_ && !at_end_) {
        if (Status status = Fill(); !status.ok()) return status;
      }
      if (begin_ == end_) {
        if (member_open_) return Bad("the gzip stream ends too early");
        return size_t{0};
      }
      if (!member_open_) {  // padding of zeros, or another member
        if (in_[begin_] == '\0') {
          ++begin_;
          continue;
        }
        if (in_[begin_] != '\x1f') return Bad("bytes after the gzip stream that are no gzip");
        inflateReset(&stream_);
        member_open_ = true;
      }
      stream_.next_in = reinterpret_cast<Bytef*>(in_.data() + begin_);
      stream_.avail_in = static_cast<uInt>(end_ - begin_);
      const int outcome = inflate(&stream_, Z_NO_FLUSH);
      begin_ = end_ - stream_.avail_in;
      if (outcome == Z_STREAM_END) {
        member_open_ = false;
      } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
        return Bad(stream_.msg != nullptr ? stream_.msg : "damaged gzip stream");
      }
    }
    inflated_ += room - stream_.avail_out;
    if (inflated_ > limit_.free_bytes && inflated_ / limit_.ratio > compressed_) {
      return Status(Code::kLimit, name_ + ": the gzip stream inflates to more than " +
                                      std::to_string(limit_.free_bytes >> 20) + " MB and " +
                                      std::to_string(limit_.ratio) +
                                      " times its size; if you trust it, unpack it first");
    }
    return static_cast<size_t>(room - stream_.avail_out);
  }

  ByteSource& from_;
  std::string name_;
  InflationLimit limit_;
  std::vector<char> in_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool at_end_ = false;
  bool sniffed_ = false;
  bool inflating_ = false;
  bool member_open_ = true;
  uint64_t compressed_ = 0;
  uint64_t inflated_ = 0;
  z_stream stream_{};
};

class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(ByteSink& to) : to_(to), out_(kBufferBytes) {
    open_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                         Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~GzipSink() override {
    if (open_) deflateEnd(&stream_);
  }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  Status Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, size_t{1} << 30);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));  // zlib's old API
      stream_.avail_in = static_cast<uInt>(part.size());
      if (Status status = Deflate(Z_NO_FLUSH); !status.ok()) return status;
      bytes.remove_prefix(part.size());
    }
    return {};
  }
  Status Finish() override {
    stream_.avail_in = 0;
    return Deflate(Z_FINISH);
  }

 private:
  Status Deflate(int flush) {
    if (!open_) return {Code::kInternal, "zlib cannot start deflating"};
    for (;;) {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int outcome = deflate(&stream_, flush);
      if (outcome == Z_STREAM_ERROR) return {Code::kInternal, "zlib cannot deflate"};
      if (Status status = to_.Write({out_.data(), out_.size() - stream_.avail_out}); !status.ok()) {
        return status;
      }
      if (flush == Z_FINISH ? outcome == Z_STREAM_END : stream_.avail_out != 0) return {};
    }
  }

  ByteSink& to_;
  std::vector<char> out_;
  bool open_ = false;
  z_stream stream_{};
};

}  // namespace

Result<size_t> StringSource::Read(char* into, size_t size) {
  const size_t count = std::min({size, step_, text_.size()});
  if (count != 0) std::memcpy(into, text_.data(), count);
  text_.remove_prefix(count);
  return count;
}

Result<size_t> FdSource::Read(char* into, size_t size) {
  for (;;) {
    const ssize_t count = ::read(fd_, into, size);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return IoError(name_, "cannot read", errno);
  }
}

Status StringSink::Write(std::string_view bytes) {
  text_.append(bytes);
  return {};
}

Status FdSink::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return IoError(name_, "cannot write", errno);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

std::unique_ptr<ByteSource> MakeGunzipSource(ByteSource& from, std::string name,
                                             InflationLimit limit) {
  return std::make_unique<GunzipSource>(from, std::move(name), limit);
}

std::unique_ptr<ByteSink> MakeGzipSink(ByteSink& to) { return std::make_unique<GzipSink>(to); }

}  // namespace iprof
