// FirstCall: when a method was first called, in comparison with the other methods of its run.
//
// The first method of a run has the rank 1, the next one 2, and so on. A profile has the sum of a method's ranks over all runs
// in which it has one, and how many these are, so that sums of profiles are exact in any order. Consumers that lay out code
// take the mean.
//
// Example: main was first in two runs, and load was second in one of them and fourth in the other one. main has the sum 2
// of 2 runs, and the mean 1; load has 6 of 2, and 3.
//
// Guarantees: plain values. Threads: any. Failure: none.
#pragma once

#include <cstdint>

namespace iprof {

struct FirstCall {
  int64_t ranks = 0;
  int64_t runs = 0;  // 0: not known

  bool is_known() const { return runs > 0; }
  double mean() const { return static_cast<double>(ranks) / static_cast<double>(runs); }
  bool operator==(const FirstCall&) const = default;
};

}  // namespace iprof
