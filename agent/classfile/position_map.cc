#include "agent/classfile/position_map.h"

#include "agent/classfile/layout.h"

namespace iprof::classfile {
namespace {

void PutVarint(uint32_t value, std::vector<uint8_t>* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<uint8_t>(value | 0x80));
  out->push_back(static_cast<uint8_t>(value));
}

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
    // may be negative, as the padding of a switch can shrink; it wraps around in both directions
    PutVarint(now - shift, out);
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

}  // namespace iprof::classfile
