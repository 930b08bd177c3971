// CountScale: makes counts of different kinds comparable before a merge adds them.
//
// Why: HotSpot stops counting a method when its best compiler has compiled it, so harvested counts
// are smaller than exact ones: estimates somewhat, raw ones by a factor of 2 to 30. Added as they
// are, they would vanish beside exact counts. So if the inputs of a merge are of several kinds, each
// input is scaled to the largest input's total of calls and branches.
//
// Guarantees:
//  - Inputs of one kind are not scaled. Scales do not depend on the order of the inputs.
//  - No scale is below 1: no count gets smaller. Ratios within an input stay, up to rounding.
//  - Samples and monitors are never scaled: they are not HotSpot's counts.
// Threads: any; pure functions. Failure: none but std::bad_alloc; results saturate at INT64_MAX.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "writer/model/model.h"

namespace iprof {

enum class CountKind : uint8_t {
  kNone,       // no calls and no branches
  kExact,      // counted, by this agent or by an instrumented image
  kEstimated,  // HotSpot's counts, with estimated calls and weights
  kRaw,        // HotSpot's counts, as they were when it stopped counting
  kMixed,      // a merge of several kinds
};

struct CountFacts {
  CountKind kind = CountKind::kNone;
  int64_t total = 0;  // of calls and branches
};
CountFacts CountFactsOf(const Profile& profile);

// A factor as a fraction, so that the results are the same on every machine.
struct CountScale {
  int64_t to = 1;
  int64_t from = 1;  // > 0
  int64_t Of(Table table, int64_t count) const;
};

// One scale for each input; empty if all inputs are of one kind.
std::vector<CountScale> ScalesFor(std::span<const CountFacts> inputs);

}  // namespace iprof
