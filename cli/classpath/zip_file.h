// ZipFile: a zip archive, such as a jar, whose entries are found by name and read one by one.
//
// Guarantees: reads stored and deflated entries, archives with zip64 records, and archives after
// other bytes (such as a start script). Opening reads only the list of entries. Of several entries
// with one name, the last one counts, as in a JVM. An entry is returned only if its checksum is
// right.
// Threads: const methods may run in parallel.
// Failure: Open and Read return an error that names the archive. No number in the archive decides
// how much memory is used: a size must fit the bytes that are there, and Read has a limit.
// Throws nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/classpath/byte_file.h"
#include "writer/base/status.h"

namespace iprof::classpath {

class ZipFile {
 public:
  struct Entry {
    std::string_view name;  // valid as long as the archive's object
    uint64_t header = 0;    // position of the entry's own header
    uint64_t packed_size = 0;
    uint64_t size = 0;
    uint32_t checksum = 0;
    uint16_t method = 0;
    bool is_encrypted = false;
  };

  static Result<ZipFile> Open(ByteFile file);
  ZipFile(ZipFile&&) = default;
  ZipFile& operator=(ZipFile&&) = default;

  const std::string& name() const { return file_.name(); }
  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* Find(std::string_view name) const;  // null if there is none

  // At most `most` bytes; a larger entry is kLimit.
  Result<Bytes> Read(const Entry& entry, uint64_t most) const;
  // The bytes of an entry as a file. A stored entry is not copied, and its checksum not checked.
  Result<ByteFile> OpenEntry(const Entry& entry, uint64_t most) const;

 private:
  explicit ZipFile(ByteFile file) : file_(std::move(file)) {}
  Status ReadDirectory(uint64_t start, uint64_t size, uint64_t prefix);
  Status Damaged(std::string_view what) const;
  Status DamagedEntry(const Entry& entry, std::string_view what) const;
  Result<uint64_t> DataOf(const Entry& entry) const;

  ByteFile file_;
  Bytes directory_;  // a vector's bytes stay where they are when it is moved
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, size_t> by_name_;
};

}  // namespace iprof::classpath
