// SettleUncounted: how often methods were entered in a time in which their own counters stood still, from the calls
// that were counted then, and from those of callers that were not counted either.
//
// A method's entries are
//
//   explained + outside · growth + sum of missing(caller) · gain
//
// `explained` by calls that were counted; `missing` are entries that were not counted; and what no call
// explains (`outside`: reflection, handles, the JVM) grows as all methods together grow: `growth` is what calls
// explain now, divided by what they usually explain in such a time.
//
// Example: counted callers called f 1,000 times. Usually they call it 500 times, and 50 entries come from outside.
// Each entry of f calls g 3 times, so g usually is called 1,650 times. All calls have doubled, so f was entered
// 1,000 + 100 times, and g 3,300 times.
//
// It differs from FlowSolver (flow_solver.h), which has lower bounds of a whole run: here all that is known was counted in
// the same time, and nothing draws a result to a count.
//
// Guarantees: pure; finite, not negative, never below what was counted, and ends at kMostTotal. Through callers that
// were not counted alone, a method gets at most `most`, so that a cycle cannot feed itself.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <vector>

#include "writer/flow/flow_edge.h"

namespace iprof {

struct UncountedMethod {
  bool is_settled = false;     // its entries are what was counted, and no more
  double counted = 0;          // entries that were counted nevertheless
  double explained = 0;        // entries by calls that were counted
  double usual_explained = 0;  // by calls, as it was usual in so much time
  double outside = 0;          // by no call, as it was usual
  double most = 0;             // beyond what is explained
};

struct UncountedFlow {
  std::vector<UncountedMethod> methods;
  std::vector<FlowEdge>
      edges;  // per entry that was not counted; all are between methods that exist
};

// The entries of each method.
std::vector<double> SettleUncounted(const UncountedFlow& flow);

}  // namespace iprof
