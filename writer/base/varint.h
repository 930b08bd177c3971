// Varints: numbers in as few bytes as they need, seven bits per byte, the lowest bits first.
//
// Guarantees: a reader never reads outside its input, and returns zeros after its end.
// Threads: any; one thread per reader. Failure: PutVarint throws std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace iprof {

inline void PutVarint(uint64_t value, std::vector<uint8_t>* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<uint8_t>(value | 0x80));
  out->push_back(static_cast<uint8_t>(value));
}

class VarintReader {
 public:
  explicit VarintReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  uint64_t Next() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const uint8_t byte = bytes_[at_++];
      value |= uint64_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  uint32_t Next32() { return static_cast<uint32_t>(Next()); }

  // The next `count` bytes; fewer at the end of the input.
  std::span<const uint8_t> Bytes(size_t count) {
    const size_t left = bytes_.size() - at_;
    const auto taken = bytes_.subspan(at_, count < left ? count : left);
    at_ += taken.size();
    return taken;
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

}  // namespace iprof
