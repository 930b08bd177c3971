// MethodLines: the source lines of a method's recorded positions in a few bytes of a class record.
//
//   varint count; for each place at which the line changes: varint difference of the bci, varint signed difference of
//   the line (doubled, and 1 added where it is negative)
//
// Guarantees: ReadLines never reads outside its input, and stops at what makes no sense. It gives the line of each position
// that AppendLines was given.
// Threads: any; pure functions. Failure: no lines; throws std::bad_alloc.
#pragma once

#include <cstdint>
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

// Ascending by bci. `lines` starts with the method's lines.
void ReadLines(std::span<const uint8_t> lines, std::vector<LineStart>* starts);

}  // namespace iprof
