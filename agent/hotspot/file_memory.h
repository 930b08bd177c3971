// FileMemory: the bytes of a file, by their offsets.
//
// Guarantees: only regular files are opened. The file is not mapped, so if another process
// cuts it short, a read fails instead of faulting.
// Threads: any. Failure: Open returns null, and errno says why; reads beyond the end return false.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "agent/hotspot/memory.h"
#include "writer/base/open_file.h"

namespace iprof::hotspot {

class FileMemory final : public Memory {
 public:
  static std::unique_ptr<FileMemory> Open(const std::string& path);
  // Of a regular file. Null if it is not open.
  static std::unique_ptr<FileMemory> Of(OwnedFd file);

  bool Read(Address from, void* into, size_t size) const override;

  uint64_t size() const { return size_; }
  int64_t changed_s() const { return changed_s_; }  // when it was written, seconds since 1970

 private:
  FileMemory(OwnedFd file, uint64_t size, int64_t changed_s)
      : file_(std::move(file)), size_(size), changed_s_(changed_s) {}

  const OwnedFd file_;
  const uint64_t size_;
  const int64_t changed_s_;
};

}  // namespace iprof::hotspot
