#include "agent/classfile/position_map.h"

#include "agent/classfile/layout.h"

namespace iprof::classfile {
namespace {

void PutVarint(uint32_t value, std::vector<uint8_t>* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<uint8_t>(value | 0x80));
  out->push_back(static_cast<uint8_t>(value));
}

// The bytes before an instruction, or before the end of the code.
struct Change {
  uint32_t inserted;
  int32_t growth;  // of the instruction before these
  bool none() const { return inserted == 0 && growth == 0; }
};

Change ChangeBefore(Insn i, const Layout& layout, const MethodCode& code) {
  if (i == 0) return {layout.Position(0), 0};
  const uint32_t end = layout.EndOf(i - 1);
  const uint32_t length = end - layout.Position(i - 1);
  return {layout.Position(i) - end,
          static_cast<int32_t>(length) - static_cast<int32_t>(code.LengthOf(i - 1))};
}

}  // namespace

void EncodePositions(const Layout& layout, const MethodCode& code, std::vector<uint8_t>* out) {
  uint32_t count = 0;
  for (Insn i = 0; i <= code.count(); ++i) count += ChangeBefore(i, layout, code).none() ? 0 : 1;
  PutVarint(count, out);
  uint32_t last = 0;
  for (Insn i = 0; i <= code.count(); ++i) {
    const Change change = ChangeBefore(i, layout, code);
    if (change.none()) continue;
    PutVarint(code.OffsetOf(i) - last, out);
    last = code.OffsetOf(i);
    PutVarint(change.inserted * 2 + (change.growth == 0 ? 0 : 1), out);
    if (change.growth == 0) continue;
    PutVarint(static_cast<uint32_t>(change.growth > 0 ? change.growth * 2 : -change.growth * 2 - 1),
              out);
    PutVarint(code.LengthOf(i - 1), out);
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
  PutVarint(layout.code_size() - layout.catch_all_position(), out);
}

}  // namespace iprof::classfile
