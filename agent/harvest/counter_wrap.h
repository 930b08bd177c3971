// CounterWrap: HotSpot's counters of entries and of jumps backwards have 31 bits and begin again at 0.
// The cells of a MethodData have 64 bits, so they say how often that happened.
// Example: the counter of entries is 52,516,352, and the cells of the first branch add up to 2,200,000,000. The counter has begun again
// once: 52,516,352 + 2,147,483,648 (2^31) is 2,200,000,000.
//
// Guarantees: pure. Threads: any. Failure: none.
#pragma once

#include <cstdint>

namespace iprof::hotspot {

inline constexpr uint64_t kCounterRange = uint64_t{1} << 31;

// `count`, and as many ranges as bring it nearest to `cells`: a count of the same, up to kMostCells,
// that did not begin again.
inline constexpr uint64_t kMostCells = uint64_t{1} << 62;
inline uint64_t Unwrapped(uint64_t count, uint64_t cells) {
  if (cells < count || cells > kMostCells) return count;
  return count + (cells - count + kCounterRange / 2) / kCounterRange * kCounterRange;
}

}  // namespace iprof::hotspot
