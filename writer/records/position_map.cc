#include "writer/records/position_map.h"

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
  bool at_end() const { return at_ >= bytes_.size(); }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

// A place where running and original code begin to differ in another way.
struct MappedPlace {
  uint32_t bci = 0;         // of the original instruction there
  uint32_t inserted = 0;    // bytes before it
  int32_t growth = 0;       // of the instruction before these
  uint32_t old_length = 0;  // of that instruction, if it changed its size
};

// Reads the places of a map one after the other.
class Places {
 public:
  explicit Places(std::span<const uint8_t> map) : reader_(map), left_(reader_.Next()) {}

  bool Next(MappedPlace* place) {
    // The end of a damaged map has only zeros.
    if (left_ == 0 || reader_.at_end()) return false;
    --left_;
    bci_ += reader_.Next();
    const uint32_t inserted = reader_.Next();
    *place = {.bci = bci_, .inserted = inserted / 2};
    if (inserted % 2 == 0) return true;
    const uint32_t change = reader_.Next();
    const auto half = static_cast<int32_t>(change / 2);
    place->growth = change % 2 == 0 ? half : -half - 1;
    place->old_length = reader_.Next();
    return true;
  }
  // What follows the places.
  Reader& rest() { return reader_; }

 private:
  Reader reader_;
  uint32_t left_;
  uint32_t bci_ = 0;
};

}  // namespace

uint32_t OriginalPosition(std::span<const uint8_t> map, uint32_t position) {
  if (map.empty()) return position;
  Places places(map);
  MappedPlace place;
  uint32_t shift = 0;  // from original to running positions
  uint32_t answer = position;
  bool found = false;
  while (places.Next(&place)) {
    const uint32_t grown_end = place.bci + shift + static_cast<uint32_t>(place.growth);
    const uint32_t old_end = place.growth > 0 ? place.bci + shift : grown_end;
    if (!found && position < grown_end + place.inserted) {
      found = true;
      if (position < old_end) {
        answer = position - shift;
      } else {
        answer = position < grown_end ? place.bci - place.old_length : place.bci;
      }
    }
    shift += static_cast<uint32_t>(place.growth) + place.inserted;
  }
  Reader& rest = places.rest();
  const uint32_t end = rest.Next();
  if (found || position < end) return found ? answer : position - shift;
  const uint32_t stubs = rest.Next();
  uint32_t at = end;
  for (uint32_t s = 0; s < stubs && !rest.at_end(); ++s) {
    at += rest.Next();
    const uint32_t source = rest.Next();
    if (position < at) return source;
  }
  return 0;  // the handler that counts exceptions: the method as a whole
}

uint32_t RewrittenLength(std::span<const uint8_t> map) {
  if (map.empty()) return 0;
  Places places(map);
  MappedPlace place;
  while (places.Next(&place)) {
  }
  Reader& rest = places.rest();
  uint32_t length = rest.Next();
  const uint32_t stubs = rest.Next();
  for (uint32_t s = 0; s < stubs && !rest.at_end(); ++s) {
    length += rest.Next();
    rest.Next();
  }
  return length + rest.Next();
}

}  // namespace iprof
