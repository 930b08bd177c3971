#include "writer/records/method_lines.h"

#include <algorithm>

#include "writer/base/varint.h"

namespace iprof {
namespace {

uint64_t FromSigned(int64_t number) {
  const auto bits = static_cast<uint64_t>(number) << 1;
  return number < 0 ? ~bits : bits;
}

int64_t ToSigned(uint64_t bits) {
  return static_cast<int64_t>((bits & 1) != 0 ? ~(bits >> 1) : bits >> 1);
}

}  // namespace

bool AppendLines(std::span<const LineStart> starts, std::span<const uint32_t> positions,
                 std::vector<uint8_t>* out) {
  std::vector<LineStart> used;
  for (const uint32_t position : positions) {
    const auto after =
        std::upper_bound(starts.begin(), starts.end(), position,
                         [](uint32_t bci, const LineStart& start) { return bci < start.bci; });
    if (after == starts.begin()) continue;
    const uint32_t line = std::prev(after)->line;
    if (used.empty() || used.back().line != line) used.push_back({position, line});
  }
  if (used.empty()) return false;
  PutVarint(used.size(), out);
  LineStart last{0, 0};
  for (const LineStart& start : used) {
    PutVarint(start.bci - last.bci, out);
    PutVarint(FromSigned(int64_t{start.line} - int64_t{last.line}), out);
    last = start;
  }
  return true;
}

void ReadLines(std::span<const uint8_t> lines, std::vector<LineStart>* starts) {
  constexpr int64_t kMostLine = 0xffff;
  starts->clear();
  VarintReader in(lines);
  const uint64_t count = in.Next();
  if (count > lines.size()) return;
  uint64_t at = 0;
  int64_t line = 0;
  for (uint64_t i = 0; i < count; ++i) {
    at += in.Next32();
    line += ToSigned(in.Next32());
    if (at > UINT32_MAX || line < 0 || line > kMostLine) return;
    starts->push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(line)});
  }
}

}  // namespace iprof
