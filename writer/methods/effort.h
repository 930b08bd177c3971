// Effort: what counting may cost a method. HotSpot never compiles a method of more than 8,000 bytes,
// so one that is near that limit gets less than was asked for, step by step:
//
//   kAsAsked     inline probes, all that was asked for
//   kCompact     all that was asked for, in probes of half the length
//   kTrimmed     compact probes in tree placement, one for each tableswitch, and of branches, calls
//                and class-counting sites those that are worth most, as many as fit into `budget`
//                bytes (trimming.h)
//   kCallsOnly   one probe
//
// An effort says all that a plan depends on besides the method and the session's options: a class
// that is loaded again, by whatever loader, or is retransformed gets the same plan from it.
#pragma once

#include <cstdint>

namespace iprof {

struct Effort {
  enum class Step : uint8_t { kAsAsked, kCompact, kTrimmed, kCallsOnly };

  Step step = Step::kAsAsked;
  bool inherited = false;  // how sites are reached, which decides the length of their probes
  bool sites = true;       // false: no class-counting sites, which cannot be inserted here
  uint16_t budget = 0;     // kTrimmed: bytes that probes may add

  bool operator==(const Effort&) const = default;
};

// What a method is counted without for its length. Code that never runs is not in these numbers.
struct LeftOut {
  bool everything = false;  // but its calls; then the numbers are 0
  uint32_t branches = 0;
  uint32_t all_branches = 0;
  uint32_t sites = 0;
  uint32_t all_sites = 0;

  bool operator==(const LeftOut&) const = default;
  bool any() const { return everything || branches + sites > 0; }
};

}  // namespace iprof
