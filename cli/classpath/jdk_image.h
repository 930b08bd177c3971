// JdkImage: a JDK's file lib/modules (a "jimage"), which has the classes of all its modules.
//
// Why our own reader: the JDK's library for it is a part of the JDK, has another version in each, and
// trusts the file.
//
// Guarantees: opening reads only the index, a few megabytes; a class's bytes are read when they are
// asked for. Every position and length in the file is checked against it. Resources that jlink
// compressed are inflated.
// Threads: const methods may run in parallel.
// Failure: an error names the file: kBadInput if it is damaged, kUnsupported for another version of
// the format or an unknown compression, kLimit for a resource beyond the limit. What does not exist
// is nullopt. Throws nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/classpath/byte_file.h"
#include "writer/base/status.h"

namespace iprof::classpath {

class JdkImage {
 public:
  static Result<JdkImage> Open(ByteFile file);

  // "java/lang/Thread$State"; the module is found by the package.
  Result<std::optional<Bytes>> FindClass(std::string_view internal_name, uint64_t most) const;
  // "/java.base/java/lang/Object.class"
  Result<std::optional<Bytes>> FindResource(std::string_view path, uint64_t most) const;
  uint32_t resource_count() const { return resource_count_; }

 private:
  struct Location {
    uint64_t module = 0;  // this and the next three: positions among the strings
    uint64_t parent = 0;
    uint64_t base = 0;
    uint64_t extension = 0;
    uint64_t offset = 0;       // behind the index
    uint64_t packed_size = 0;  // 0: not compressed
    uint64_t size = 0;
  };

  explicit JdkImage(ByteFile file) : file_(std::move(file)) {}
  Status Damaged(std::string_view what) const;
  std::optional<Location> Find(std::string_view path) const;
  std::optional<Location> ReadLocation(uint32_t offset) const;
  bool HasPath(const Location& location, std::string_view path) const;
  Result<Bytes> ReadResource(const Location& location, uint64_t most) const;

  ByteFile file_;
  std::vector<int32_t> redirect_;
  std::vector<uint32_t> offsets_;
  Bytes locations_;
  Bytes strings_;
  uint64_t index_size_ = 0;
  uint32_t resource_count_ = 0;
};

}  // namespace iprof::classpath
