#include "agent/classfile/code_tables.h"

namespace iprof::classfile {

namespace {

// The new start of something that started at an instruction. At the first instruction it includes
// the method's entry code.
uint32_t StartOf(const Layout& layout, Insn i) { return i == 0 ? 0 : layout.Label(i); }

// Moves a variable's range. Returns false if it does not start and end at instructions.
bool MoveRange(uint8_t* range, const MethodCode& code, const Layout& layout) {
  const uint32_t start = LoadU2(range);
  const uint32_t length = LoadU2(range + 2);
  const Insn from = code.BoundaryAt(start);
  const Insn to = code.BoundaryAt(start + length);
  if (from == MethodCode::kNone || to == MethodCode::kNone) return false;
  const uint32_t new_start = length == 0 ? layout.Label(from) : StartOf(layout, from);
  StoreU2(range, new_start);
  StoreU2(range + 2, length == 0 ? 0 : layout.Label(to) - new_start);
  return true;
}

}  // namespace

void StubLines::Read(const MethodCode& code, const Layout& layout, Arena& arena) {
  line_of_ = nullptr;
  if (layout.stubs().empty()) return;
  ReadLines(code, [&](uint32_t bci, uint32_t line) {
    if (line_of_ == nullptr) line_of_ = arena.AllocateZeroed<uint16_t>(code.count());
    const Insn i = code.IndexAt(bci);
    if (i != MethodCode::kNone) line_of_[i] = static_cast<uint16_t>(line);
  });
  if (line_of_ == nullptr) return;
  for (Insn i = 1; i < code.count(); ++i) {
    if (line_of_[i] == 0) line_of_[i] = line_of_[i - 1];
  }
}

uint32_t StubLines::Write(const MethodCode& code, const Layout& layout, ByteBuffer& out) const {
  if (line_of_ == nullptr) return 0;
  uint32_t count = 0;
  const auto add = [&](uint32_t position, uint16_t line) {
    out.U2(position);
    out.U2(line);
    ++count;
  };
  for (const Island& island : layout.islands()) {
    uint16_t current = line_of_[island.behind];
    for (uint32_t s = island.first_stub; s < island.end_stub; ++s) {
      const PlacedStub& stub = layout.stubs()[s];
      const uint16_t line = line_of_[stub.source];
      if (line == 0 || line == current) continue;
      add(stub.position, line);
      current = line;
    }
    const Insn next = island.behind + 1;
    if (next < code.count() && line_of_[next] != 0 && line_of_[next] != current) {
      add(layout.Label(next), line_of_[next]);
    }
  }
  return count;
}

bool WriteLineNumbers(ByteSpan table, const MethodCode& code, const Layout& layout,
                      const StubLines* extra_lines, ByteBuffer& out) {
  ByteReader reader(table);
  const uint32_t n = reader.U2();
  if (!reader.ok() || reader.remaining() != size_t{n} * 4) return false;
  const size_t count_at = out.size();
  out.U2(n);
  const uint8_t* p = reader.at();
  uint8_t* to = out.Extend(size_t{n} * 4);
  for (uint32_t k = 0; k < n; ++k) {
    const Insn i = code.IndexAt(uint32_t{LoadU2(p + 4 * size_t{k})});
    if (i == MethodCode::kNone) return false;
    StoreU2(to + 4 * size_t{k}, StartOf(layout, i));
    std::memcpy(to + 4 * size_t{k} + 2, p + 4 * size_t{k} + 2, 2);
  }
  if (extra_lines == nullptr) return true;
  const size_t before_extra = out.size();
  const uint32_t all = n + extra_lines->Write(code, layout, out);
  if (all > 65535) {
    out.Truncate(before_extra);
    return true;
  }
  StoreU2(out.data() + count_at, all);
  return true;
}

bool WriteLocalVariables(ByteSpan table, const MethodCode& code, const Layout& layout,
                         ByteBuffer& out) {
  ByteReader reader(table);
  const uint32_t n = reader.U2();
  if (!reader.ok() || reader.remaining() != size_t{n} * 10) return false;
  out.U2(n);
  uint8_t* p = out.Extend(size_t{n} * 10);
  if (n != 0) std::memcpy(p, reader.at(), size_t{n} * 10);
  for (uint32_t k = 0; k < n; ++k, p += 10) {
    if (!MoveRange(p, code, layout)) return false;
  }
  return true;
}

bool WriteCharacterRanges(ByteSpan table, const MethodCode& code, const Layout& layout,
                          ByteBuffer& out) {
  ByteReader reader(table);
  const uint32_t n = reader.U2();
  if (!reader.ok() || reader.remaining() != size_t{n} * 14) return false;
  out.U2(n);
  uint8_t* p = out.Extend(size_t{n} * 14);
  if (n != 0) std::memcpy(p, reader.at(), size_t{n} * 14);
  for (uint32_t k = 0; k < n; ++k, p += 14) {
    // The end is the last byte of the range, inclusive.
    const Insn from = code.BoundaryAt(LoadU2(p));
    const Insn to = code.BoundaryAt(LoadU2(p + 2) + 1u);
    if (from == MethodCode::kNone || to == MethodCode::kNone || from >= to) return false;
    StoreU2(p, StartOf(layout, from));
    StoreU2(p + 2, layout.Label(to) - 1);
  }
  return true;
}

}  // namespace iprof::classfile
