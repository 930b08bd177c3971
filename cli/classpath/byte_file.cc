#include "cli/classpath/byte_file.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "writer/base/open_file.h"

namespace iprof::classpath {

class ByteFile::Source {
 public:
  virtual ~Source() = default;
  // Fills `into`; false with errno, or with errno 0 if the bytes end before.
  virtual bool Read(uint64_t offset, std::span<uint8_t> into) const = 0;
};

class ByteFile::Descriptor : public Source {
 public:
  explicit Descriptor(OwnedFd fd) : fd_(std::move(fd)) {}
  bool Read(uint64_t offset, std::span<uint8_t> into) const override {
    while (!into.empty()) {
      const ssize_t count = pread(fd_.get(), into.data(), into.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count == 0) errno = 0;
      if (count <= 0) return false;
      into = into.subspan(static_cast<size_t>(count));
      offset += static_cast<uint64_t>(count);
    }
    return true;
  }

 private:
  OwnedFd fd_;
};

class ByteFile::Memory : public Source {
 public:
  explicit Memory(Bytes bytes) : bytes_(std::move(bytes)) {}
  bool Read(uint64_t offset, std::span<uint8_t> into) const override {
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(offset), into.size(), into.begin());
    return true;
  }

 private:
  Bytes bytes_;
};

Result<ByteFile> ByteFile::Open(const std::string& path) {
  Result<OwnedFd> fd = OpenFile(path, O_RDONLY, FileKind::kRegular);
  if (!fd.ok()) {
    return Status(fd.status().code(),
                  fmt::format("cannot open {}: {}", path, fd.status().message()));
  }
  struct stat facts {};
  if (fstat(fd->get(), &facts) != 0) {
    return Status(Code::kIo, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  return ByteFile(std::make_shared<const Descriptor>(std::move(*fd)), 0,
                  static_cast<uint64_t>(facts.st_size), path);
}

ByteFile ByteFile::Of(Bytes bytes, std::string name) {
  const uint64_t size = bytes.size();
  return {std::make_shared<const Memory>(std::move(bytes)), 0, size, std::move(name)};
}

ByteFile ByteFile::Slice(uint64_t offset, uint64_t size, std::string name) const {
  offset = std::min(offset, size_);
  return {source_, offset_ + offset, std::min(size, size_ - offset), std::move(name)};
}

Result<Bytes> ByteFile::Read(uint64_t offset, uint64_t size) const {
  if (offset > size_ || size > size_ - offset) {
    return Status(Code::kBadInput,
                  fmt::format("{} is cut short: it has {} bytes, and {} are needed "
                              "at {}",
                              name_, size_, size, offset));
  }
  Bytes bytes(size);
  errno = 0;
  if (source_->Read(offset_ + offset, bytes)) return bytes;
  if (errno == 0) {
    return Status(Code::kBadInput, fmt::format("{} became shorter while it was read", name_));
  }
  return Status(Code::kIo, fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
}

}  // namespace iprof::classpath
