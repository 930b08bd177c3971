#include "cli/views/parquet/number_runs.h"

#include <algorithm>
#include <bit>

namespace iprof::parquet {
namespace {

constexpr size_t kGroup = 8;

void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

size_t BytesFor(int bits) { return (static_cast<size_t>(bits) + 7) / 8; }

// Pads the last group with zeros.
void AppendPacked(std::span<const uint32_t> numbers, int bits, std::string& out) {
  const size_t groups = (numbers.size() + kGroup - 1) / kGroup;
  if (groups == 0) return;
  AppendVarint(groups << 1 | 1, out);
  uint64_t held = 0;
  int held_bits = 0;
  for (size_t i = 0; i < groups * kGroup; ++i) {
    held |= uint64_t{i < numbers.size() ? numbers[i] : 0} << held_bits;
    for (held_bits += bits; held_bits >= 8; held_bits -= 8, held >>= 8)
      out += static_cast<char>(held);
  }
}

}  // namespace

int BitsFor(uint64_t count) { return count <= 1 ? 0 : static_cast<int>(std::bit_width(count - 1)); }

void AppendNumberRuns(std::span<const uint32_t> numbers, int bits, std::string& out) {
  size_t packed_from = 0;
  for (size_t at = 0; at < numbers.size();) {
    size_t end = at + 1;
    while (end < numbers.size() && numbers[end] == numbers[at]) ++end;
    // Groups before a run of equal values are full.
    const size_t full = packed_from + (at - packed_from + kGroup - 1) / kGroup * kGroup;
    if (end < full + kGroup) {
      at = end;
      continue;
    }
    AppendPacked(numbers.subspan(packed_from, full - packed_from), bits, out);
    AppendVarint((end - full) << 1, out);
    for (size_t i = 0; i < BytesFor(bits); ++i) out += static_cast<char>(numbers[at] >> 8 * i);
    at = packed_from = end;
  }
  AppendPacked(numbers.subspan(packed_from), bits, out);
}

bool NumberRuns::NextRun() {
  uint64_t head = 0;
  size_t at = 0;
  for (int shift = 0;; shift += 7, ++at) {
    if (at >= bytes_.size() || shift > 28) return false;
    const auto byte = static_cast<uint8_t>(bytes_[at]);
    head |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  bytes_.remove_prefix(at + 1);
  is_packed_ = (head & 1) != 0;
  if (is_packed_) {
    // A writer may end the last group where its values end.
    const uint64_t groups = head >> 1;
    left_ = bits_ == 0 ? groups * kGroup
                       : std::min<uint64_t>(groups * kGroup,
                                            bytes_.size() * 8 / static_cast<uint64_t>(bits_));
    held_ = 0;
    held_bits_ = 0;
    return left_ > 0 || groups == 0;
  }
  const size_t size = BytesFor(bits_);
  if (size > bytes_.size()) return false;
  left_ = head >> 1;
  value_ = 0;
  for (size_t i = 0; i < size; ++i) value_ |= uint32_t{static_cast<uint8_t>(bytes_[i])} << 8 * i;
  bytes_.remove_prefix(size);
  return true;
}

uint32_t NumberRuns::Unpack() {
  for (; held_bits_ < bits_; held_bits_ += 8) {
    held_ |= uint64_t{static_cast<uint8_t>(bytes_.front())} << held_bits_;
    bytes_.remove_prefix(1);
  }
  const auto number = static_cast<uint32_t>(held_ & ((uint64_t{1} << bits_) - 1));
  held_ >>= bits_;
  held_bits_ -= bits_;
  return number;
}

}  // namespace iprof::parquet
