// ByteFile: the bytes of a file, of a part of a file or of memory, read by position.
//
// Why not a mapping: if another process shortens a mapped file, reading it ends this process. Here
// it is an error value.
//
// Guarantees: reads nothing outside the file or part. Copies and slices share the open file, which
// is closed with the last of them; child processes do not inherit it.
// Threads: const methods may run in parallel.
// Failure: kIo with the file's name if the system refuses to open or read; kBadInput if the bytes
// asked for are not all there. Throws nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "writer/base/status.h"

namespace iprof::classpath {

using Bytes = std::vector<uint8_t>;

class ByteFile {
 public:
  // A regular file; a folder or device is bad input.
  static Result<ByteFile> Open(const std::string& path);
  // Bytes in memory. The name is for messages.
  static ByteFile Of(Bytes bytes, std::string name);

  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }

  // A part of this file. What lies outside is left out.
  ByteFile Slice(uint64_t offset, uint64_t size, std::string name) const;

  // Exactly so many bytes. The memory for them is allocated only if the file is long enough.
  Result<Bytes> Read(uint64_t offset, uint64_t size) const;

 private:
  class Source;
  class Descriptor;
  class Memory;

  ByteFile(std::shared_ptr<const Source> source, uint64_t offset, uint64_t size, std::string name)
      : source_(std::move(source)), offset_(offset), size_(size), name_(std::move(name)) {}

  std::shared_ptr<const Source> source_;
  uint64_t offset_;
  uint64_t size_;
  std::string name_;
};

}  // namespace iprof::classpath
