#include "cli/views/parquet/snappy.h"

#include <cstdint>

namespace iprof::parquet {
namespace {

// Takes a number of `size` bytes, lowest first, off the input.
bool Take(std::string_view& from, size_t size, uint64_t& number) {
  if (from.size() < size) return false;
  number = 0;
  for (size_t i = 0; i < size; ++i) number |= uint64_t{static_cast<uint8_t>(from[i])} << 8 * i;
  from.remove_prefix(size);
  return true;
}

bool TakeVarint(std::string_view& from, uint64_t& number) {
  number = 0;
  for (int shift = 0; shift <= 28; shift += 7) {
    uint64_t byte = 0;
    if (!Take(from, 1, byte)) return false;
    number |= (byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace

bool UnpackSnappy(std::string_view packed, size_t most, std::string& text) {
  text.clear();
  uint64_t size = 0;
  if (!TakeVarint(packed, size) || size > most) return false;
  while (!packed.empty()) {
    uint64_t tag = 0;
    uint64_t more = 0;
    if (!Take(packed, 1, tag)) return false;
    uint64_t length = (tag >> 2) + 1;
    if ((tag & 3) == 0) {  // a literal; from 61 bytes on, its length follows
      if (length > 60) {
        if (!Take(packed, length - 60, length)) return false;
        ++length;
      }
      if (length > packed.size() || length > size - text.size()) return false;
      text.append(packed.substr(0, length));
      packed.remove_prefix(length);
      continue;
    }
    uint64_t back = 0;
    if ((tag & 3) == 1) {
      if (!Take(packed, 1, more)) return false;
      back = tag >> 5 << 8 | more;
      length = (tag >> 2 & 7) + 4;
    } else if (!Take(packed, (tag & 3) == 2 ? 2 : 4, back)) {
      return false;
    }
    if (back == 0 || back > text.size() || length > size - text.size()) return false;
    // What is copied may be what this copy has just written.
    for (uint64_t i = 0; i < length; ++i) text += text[text.size() - back];
  }
  return text.size() == size;
}

}  // namespace iprof::parquet
