#include "agent/classfile/position_map.h"

#include "agent/classfile/layout.h"

namespace iprof::classfile {
namespace {

void PutVarint(uint32_t value, std::vector<uint8_t>* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<uint8_t>(value | 0x80));
  out->push_back(static_cast<uint8_t>(value));
}

// Reads varints until the input ends; then zeros.
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

void EncodePositions(const Layout& layout, const MethodCode& code, std::vector<uint8_t>* out) {
  uint32_t count = 0;
  uint32_t shift = 0;
  for (Insn i = 0; i < code.count(); ++i) {
    const uint32_t now = layout.Position(i) - code.OffsetOf(i);
    if (now != shift) ++count;
    shift = now;
  }
  PutVarint(count, out);
  shift = 0;
  uint32_t last = 0;
  for (Insn i = 0; i < code.count(); ++i) {
    const uint32_t now = layout.Position(i) - code.OffsetOf(i);
    if (now == shift) continue;
    PutVarint(code.OffsetOf(i) - last, out);
    PutVarint(now - shift, out);  // padding of a switch may shrink: wraps, and adds up again
    shift = now;
    last = code.OffsetOf(i);
  }
  const uint32_t end = layout.Label(code.count());
  uint32_t stubs = 0;
  for (const PlacedStub& stub : layout.stubs()) stubs += stub.position >= end ? 1 : 0;
  PutVarint(end, out);
  PutVarint(stubs, out);
  for (const PlacedStub& stub : layout.stubs()) {
    if (stub.position < end) continue;
    PutVarint(stub.end() - stub.position, out);
    PutVarint(code.OffsetOf(stub.source), out);
  }
}

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
  return 0;  // the handler that counts what is thrown: the method as a whole
}

}  // namespace iprof::classfile
