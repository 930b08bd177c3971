#include "writer/methods/position_map.h"

#include <cstddef>

namespace iprof {
namespace {

// Reads varints; zeros after the end of the input.
class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  uint32_t Next() {
    uint32_t value = 0;
    for (int shift = 0; shift < 32 && at_ < bytes_.size(); shift += 7) {
      const uint8_t byte = bytes_[at_++];
      value |= uint32_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return value;
  }
  bool ended() const { return at_ >= bytes_.size(); }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

}  // namespace

uint32_t OriginalPosition(std::span<const uint8_t> map, uint32_t position) {
  if (map.empty()) return position;
  Reader reader(map);
  const uint32_t places = reader.Next();
  uint32_t bci = 0;
  uint32_t shift = 0;
  uint32_t answer = position;
  bool found = false;
  for (uint32_t p = 0; p < places && !reader.ended(); ++p) {
    bci += reader.Next();
    const uint32_t grown = reader.Next();
    if (!found) {
      const uint32_t start = bci + shift;  // where the inserted code begins
      if (position < start) {
        answer = position - shift;
        found = true;
      } else if (position < start + grown) {
        answer = bci;
        found = true;
      }
    }
    shift += grown;
  }
  const uint32_t end = reader.Next();
  if (found || position < end) return found ? answer : position - shift;
  const uint32_t stubs = reader.Next();
  uint32_t at = end;
  for (uint32_t s = 0; s < stubs && !reader.ended(); ++s) {
    at += reader.Next();
    const uint32_t source = reader.Next();
    if (position < at) return source;
  }
  return 0;  // the handler that counts exceptions: the method as a whole
}

}  // namespace iprof
