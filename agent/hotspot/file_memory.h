// FileMemory: the bytes of a file, by their offsets.
//
// Guarantees: only regular files are opened. The file is not mapped, so one that is cut short
// meanwhile fails a read instead of faulting.
// Threads: any. Failure: Open returns null, and errno says why; reads beyond the end return false.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agent/hotspot/memory.h"

namespace iprof::hotspot {

class FileMemory final : public Memory {
 public:
  static std::unique_ptr<FileMemory> Open(const std::string& path);
  // Takes the descriptor, which was opened without waiting; below 0: that failed.
  static std::unique_ptr<FileMemory> Of(int fd);
  ~FileMemory() override;
  FileMemory(const FileMemory&) = delete;
  FileMemory& operator=(const FileMemory&) = delete;

  bool Read(Address from, void* into, size_t size) const override;

  uint64_t size() const { return size_; }
  int64_t changed_s() const { return changed_s_; }  // when it was written, seconds since 1970

 private:
  FileMemory(int fd, uint64_t size, int64_t changed_s)
      : fd_(fd), size_(size), changed_s_(changed_s) {}

  const int fd_;
  const uint64_t size_;
  const int64_t changed_s_;
};

}  // namespace iprof::hotspot
