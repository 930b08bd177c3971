// CallGraph: which methods call which, and how often one entry of a caller does.
//
// Guarantees: pure; gains are finite and at least 0; the edges of a caller are in the order of its
// calls.
// Threads: any. Failure: calls that cannot be resolved have no edge.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/harvest/harvested_program.h"

namespace iprof::hotspot {

// Calls with a count: `count` of the executions of the caller's call sites go to `callee`.
struct CountedCall {
  uint32_t caller = 0;
  uint32_t callee = 0;
  double count = 0;
  double guess = 0;         // of one entry, if few entries were counted
  bool is_guessed = false;  // another method may have been called
  bool is_exact = false;    // all executions, not only those that HotSpot counted
};

// By method: whether its counts are those of a copy of a lambda before it was linked again. They are
// older than what others have counted, as all counts of the class that makes the lambda went back to 0
// with it.
std::vector<bool> FindOldCounts(const HarvestedProgram& program);

// All calls of methods that have a MethodData, as counted.
std::vector<CountedCall> CountCalls(const HarvestedProgram& program);

}  // namespace iprof::hotspot
