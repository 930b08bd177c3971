// RunLength: which of two runs was longer, and how much more of its repeated work it did. Two dumps of one server, minutes
// apart, differ in this: the second has much more of the requests, but the start-up is in both once.
//
// If the longer run did k times the repeated work, the count of each method, branch or class has grown k times, or not at
// all, or, if start-up and requests share it, anything in between. k is not the growth of all counts together, which the
// start-up makes smaller. It is read from what was added: the growth that all but a tenth of the added calls stay below.
// Example: counts grew from 1,000 to 1,000 (start-up), from 10 to 70 and from 20 to 140 (requests), and from 300 to 360 (both). k is 7,
// although all counts together grew by 18 %.
//
// Guarantees: one of two runs is longer only if the profiles say so: both are dumps of one recording, or one recorded a fifth
// longer. Swapping the profiles swaps the answer.
// Threads: any; pure functions. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

enum class LongerRun : uint8_t { kNeither, kA, kB };
LongerRun LongerOf(const Profile& a, const Profile& b);

// k, at least 1. Counts of the same things in the shorter and in the longer run.
double GrowthOfRepeatedWork(std::vector<std::pair<int64_t, int64_t>> counts);

}  // namespace iprof
