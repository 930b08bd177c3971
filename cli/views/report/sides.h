// Counts: one number of each profile that a report is about.
//
// Guarantees: pure; sums saturate. Threads: any. Failure: none.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "writer/profile/model.h"

namespace iprof {

inline constexpr size_t kMostSides = 2;
// By side: the profile; or the old one and the new one. A report about one profile leaves the second number 0.
using Counts = std::array<int64_t, kMostSides>;

inline void AddTo(Counts& sum, size_t side, int64_t count) {
  sum[side] = SaturatingAdd(sum[side], count);
}

inline bool IsZero(const Counts& counts) { return counts == Counts{}; }

inline int64_t SumOf(const Counts& counts) { return SaturatingAdd(counts[0], counts[1]); }

// The larger share of both profiles, so that what only one of them has is not hidden by the other's length.
inline double LargestShare(const Counts& part, const Counts& whole) {
  double largest = 0;
  for (size_t side = 0; side < kMostSides; ++side) {
    if (whole[side] == 0) continue;
    largest = std::max(largest, static_cast<double>(part[side]) / static_cast<double>(whole[side]));
  }
  return largest;
}

}  // namespace iprof
