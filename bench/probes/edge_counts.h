// How often each edge of a method's graph ran, from an exact profile.
//
// A profile has the calls and the ways of branches. The other edges follow by flow conservation. Where
// an exception left a block, that is off by these exceptions; what cannot be known otherwise is taken as
// never run (entries of handlers).
//
// Guarantees: counts are never negative. Threads: any. Failure: none; a method that the profile does
// not have has no counts.
#pragma once

#include <vector>

#include "agent/plan/branch_weights.h"
#include "agent/plan/method_graph.h"
#include "writer/profile/model.h"

namespace iprof::instrument {

// Replaces unknown (negative) counts by what follows from the others. `entry` is the entry's if that does not
// follow.
void SpreadCounts(const CountingGraph& graph, double entry, std::vector<double>* counts);

struct EdgeCounts {
  double calls = 0;
  std::vector<double> edges;  // by edge number; empty without calls
};

// `replaced`: compilers may replace calls of the method, so that it has more calls than it was executed.
EdgeCounts EdgeCountsOf(const Profile& profile, const MethodNames& names, const MethodGraph& method,
                        bool replaced);

}  // namespace iprof::instrument
