// CountScale: makes counts of different kinds comparable before a merge adds them.
//
// Why: HotSpot stops counting a method when its best compiler has compiled it, so harvested counts
// are smaller than exact ones: estimates somewhat, raw ones by a factor of 2 to 30. Added as they
// are, they would vanish beside exact counts. So if the inputs of a merge are of several kinds, each
// input is scaled to the largest input's total of calls and branches.
// Example: an exact profile has 1,000,000 calls and branches, a raw harvest 50,000. The harvest's counts are multiplied by 20: 3 becomes 60.
//
// Guarantees:
//  - Inputs of one kind are not scaled. Scales do not depend on the order of the inputs.
//  - No scale is below 1: no count gets smaller. Ratios within an input stay, up to rounding.
//  - Monitors are never scaled: they are not HotSpot's counts.
//  - Samples of inputs with different intervals are scaled so that each input weighs as much as the CPU time that it
//    was sampled in, unless they differ by 5 % at most. See SampleUnit.
// Threads: any; pure functions. Failure: none but std::bad_alloc; results saturate at INT64_MAX.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "writer/base/weight_scale.h"
#include "writer/profile/model.h"

namespace iprof {

enum class CountKind : uint8_t {
  kNone,       // no calls and no branches
  kExact,      // counted, by this agent or by an instrumented image
  kEstimated,  // HotSpot's counts, with estimated calls and weights
  kRaw,        // HotSpot's counts, as they were when it stopped counting
  kMixed,      // a merge of several kinds
};

// The samples of an input, as far as it has statistics of them.
struct SampleFacts {
  std::string event{};      // "cpu", "wall"; empty: not known
  int64_t interval_ns = 0;  // the time that a weight of 1 stands for
  int64_t weight = 0;
  int64_t signals = 0;  // that gave it
};

struct CountFacts {
  CountKind kind = CountKind::kNone;
  int64_t total = 0;  // of calls and branches
  SampleFacts samples{};
  int64_t copies = 1;  // how often the input is added
};
CountFacts CountFactsOf(const Profile& profile);

// A factor as a fraction, so that the results are the same on every machine.
struct CountScale {
  int64_t to = 1;
  int64_t from = 1;  // > 0
  // The time that a sample stands for, in the input and in the result.
  int64_t sample_ns = 1;       // > 0
  int64_t sample_unit_ns = 1;  // > 0
  bool scales_counts() const { return to != from; }
  bool scales_samples() const { return sample_ns != sample_unit_ns; }
  // For the samples of one input, one after the other.
  WeightScale ForSamples() const {
    return {static_cast<uint64_t>(sample_ns), static_cast<uint64_t>(sample_unit_ns)};
  }
  // Of any table but the samples'.
  int64_t Of(Table table, int64_t count) const;
};

// The time that a sample of the result stands for: the mean time that passed between two signals of an input, weighted
// by CPU time. So the samples of the result are as many as the signals of inputs that were all sampled alike; if some
// are sparse, they are fewer, and none of those gets more weight than it is worth. 0: samples are not scaled, because
// all inputs whose interval is known have nearly the same one, or other events.
//
// Intervals that are AlikeIntervals are not scaled either: no two runs with interval=auto have the same one, and a merge
// need not read all inputs twice for it. Then a sample stands for the mean time of all.
//
// Example: 2,500 signals in 10 s of CPU time, one in 4 ms, and 1,000 in 10 s, one in 10 ms: the unit is 7 ms, and each
// input has 1,429 samples in the result.
bool AlikeIntervals(int64_t shortest_ns, int64_t longest_ns);
int64_t SampleUnit(std::span<const CountFacts> inputs);
// Samples only.
CountScale ScaleToUnit(const CountFacts& input, int64_t unit_ns);

// One scale for each input; empty if nothing is scaled.
std::vector<CountScale> ScalesFor(std::span<const CountFacts> inputs);

}  // namespace iprof
