// MethodLines: the source lines of a method's recorded positions in a few bytes of a class record.
//
//   varint count; for each place at which the line changes: varint difference of the bci, varint signed difference of
//   the line (doubled, and 1 added where it is negative)
//
// Guarantees: LineIn never reads outside its input, and allocates nothing. It gives the line of each position that
// AppendLines was given.
// Threads: any; pure functions. Failure: no line; AppendLines throws std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace iprof {

// A line begins at a bci and ends where the next one begins.
struct LineStart {
  uint32_t bci;
  uint32_t line;
  bool operator==(const LineStart&) const = default;
};

// Appends the lines of the positions; both ascend by bci. Returns false, and appends nothing, if none has a line.
bool AppendLines(std::span<const LineStart> starts, std::span<const uint32_t> positions,
                 std::vector<uint8_t>* out);

// `lines` starts with the method's lines.
std::optional<uint32_t> LineIn(std::span<const uint8_t> lines, uint32_t bci);

// All of them, ascending by bci, for many questions: LineIn takes time in proportion to the lines.
void ReadLines(std::span<const uint8_t> lines, std::vector<LineStart>* starts);

}  // namespace iprof
