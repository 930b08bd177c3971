// Decisions: how often an image build would decide differently with one profile than with another.
//
// Percentages of overlap do not show this: a build compiles the methods that make up 99.9 % of calls
// plus conditionals well, and the others as cold; orders a branch by its probabilities; and
// dispatches a call directly to up to three classes that have a tenth of its receivers or more.
//
// Guarantees: the first profile is the truth: shares are shares of its weight, except
// HotMethods::extra. Only ratios within a profile matter, not totals. Contexts are compared as they
// are: profiles with and without callers in their contexts have few in common. The result does not
// depend on the order of records.
// Threads: any; pure functions. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>

#include "writer/profile/model.h"

namespace iprof {

struct HotMethods {
  size_t in_a = 0;
  size_t in_b = 0;
  double missed = 0;  // share of A's weight in methods that are hot in A only
  double extra = 0;   // share of B's weight in methods that are hot in B only
};

struct BranchDecisions {
  double known = 0;     // share of the executions at branches that B has, too
  double off = 0;       // … at branches where a probability differs by more than 10 points
  double inverted = 0;  // … where A's majority outcome is not B's most frequent one
};

struct ReceiverDecisions {
  double known = 0;  // share of the calls at sites that B has, too
  double other = 0;  // … at sites where B's build would dispatch to other classes
};

struct Decisions {
  HotMethods hot;
  BranchDecisions branches;
  ReceiverDecisions receivers;
};

// Shares are 0 where A has no weight.
Decisions CompareDecisions(const Profile& a, const Profile& b);

}  // namespace iprof
