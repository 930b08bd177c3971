// WriteSeconds, WriteTimes: when the samples of a report's flame graphs were taken, as report_data.h has it.
//
// Example: the program's samples are of the periods from second 0 and 4 on. A frame with 3 of the first and 2 of the second has
// [0,3,1,2] in "times", and one with all of its samples in the second has 1; "seconds" is [0,4,6].
//
// Guarantees: periods are numbered from the first one that has samples. Threads: any; pure functions. Failure: std::bad_alloc.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "cli/views/report/flame_tree.h"
#include "writer/profile/io/json_builder.h"

namespace iprof {

// Where the periods begin, and where the last one ends: 0 if it has no end. `periods` are not empty.
void WriteSeconds(const std::set<uint32_t>& periods, JsonBuilder& json);
void WriteTimes(const std::vector<FlameFrame>& frames, const std::set<uint32_t>& periods,
                JsonBuilder& json);

}  // namespace iprof
