// Effort: how much code a method may get for counting. HotSpot never compiles a method of more than
// 8,000 bytes, so a method near that limit gets less than was requested, step by step:
//
//   kAsAsked     inline probes, everything that was requested
//   kCompact     everything that was requested, with probes of half the length
//   kTrimmed     compact probes in tree placement, one for each tableswitch, and the most
//                valuable branches, calls and class-counting sites, as many as fit into `budget`
//                bytes (trimming.h)
//   kCallsOnly   one probe
//
// Together with the method and the session's options, an effort determines the plan completely: a
// class that is loaded again, by any loader, or retransformed gets the same plan.
//
// Guarantees: plain data. Threads: any. Failure: none.
#pragma once

#include <cstdint>

namespace iprof {

struct Effort {
  enum class Step : uint8_t { kAsAsked, kCompact, kTrimmed, kCallsOnly };

  Step step = Step::kAsAsked;
  bool inherited = false;  // how probes reach their sites; determines the probes' length
  bool sites = true;       // false: class-counting sites cannot be inserted here
  uint16_t budget = 0;     // kTrimmed: bytes that probes may add

  bool operator==(const Effort&) const = default;
};

// What is not counted in a method because of its length. The numbers do not include code that
// never ran.
struct LeftOut {
  bool everything = false;  // except its calls; then the numbers are 0
  uint32_t branches = 0;
  uint32_t all_branches = 0;
  uint32_t sites = 0;
  uint32_t all_sites = 0;

  bool operator==(const LeftOut&) const = default;
  bool any() const { return everything || branches + sites > 0; }
};

}  // namespace iprof
