// BytesMemory: bytes as a Memory, for tests and fuzzing: of a file, or of a process from some address on.
//
// Guarantees: what lies before and behind the bytes cannot be read.
// Threads: one while bytes are put; then any. Failure: Read returns false.
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "agent/hotspot/memory.h"

namespace iprof::hotspot {

class BytesMemory final : public Memory {
 public:
  explicit BytesMemory(std::vector<uint8_t> bytes, Address base = 0)
      : bytes_(std::move(bytes)), base_(base) {}

  bool Read(Address from, void* into, size_t size) const override {
    if (from < base_ || from - base_ > bytes_.size() || size > bytes_.size() - (from - base_))
      return false;
    if (size != 0) std::memcpy(into, bytes_.data() + (from - base_), size);
    return true;
  }
  // The value must lie within the bytes.
  template <typename T>
  void Put(Address at, T value) {
    std::memcpy(bytes_.data() + (at - base_), &value, sizeof value);
  }

  std::vector<uint8_t>& bytes() { return bytes_; }
  uint64_t size() const { return bytes_.size(); }

 private:
  std::vector<uint8_t> bytes_;
  Address base_;
};

}  // namespace iprof::hotspot
