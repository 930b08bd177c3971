// Periods of a recording: from second 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, … on, each as long as a half or a third of what is before
// it. They tell a start of 3 s from the load behind it, and a run of a day has 34 of them.
//
// Example: second 5 is in the period number 4, which begins at second 4; the next one begins at second 6.
//
// Guarantees: PeriodAt(BeginOf(p)) is p; numbers ascend with seconds. What is behind kLastPeriod is in it. Async-signal-safe.
// Threads: any; pure functions. Failure: none.
#pragma once

#include <bit>
#include <cstdint>

namespace iprof {

inline constexpr uint32_t kLastPeriod = 31;  // begins at second 49,152

constexpr uint32_t BeginOf(uint32_t period) {
  return period < 2 ? period : (2 | (period & 1)) << (period / 2 - 1);
}

constexpr uint32_t PeriodAt(uint64_t second) {
  if (second >= BeginOf(kLastPeriod)) return kLastPeriod;
  if (second < 2) return static_cast<uint32_t>(second);
  const auto log = static_cast<uint32_t>(std::bit_width(second)) - 1;
  return 2 * log + static_cast<uint32_t>(second >> (log - 1) & 1);
}

// Whether a period begins at this second.
constexpr bool BeginsPeriod(int64_t second) {
  return second >= 0 && BeginOf(PeriodAt(static_cast<uint64_t>(second))) == second;
}

}  // namespace iprof
