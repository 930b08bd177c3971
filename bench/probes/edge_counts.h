// EdgeCounts: how often each edge of a method's graph ran, from an exact profile.
//
// A profile has the calls and the ways of branches. The other edges follow by flow conservation. Where
// an exception left a block, that is off by these exceptions; what cannot be known otherwise is taken as
// never run (entries of handlers).
//
// Guarantees: counts are never negative. Threads: one per object. Failure: none; a method that the
// profile does not have has no counts.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "agent/plan/branch_weights.h"
#include "agent/plan/method_graph.h"
#include "writer/profile/model.h"

namespace iprof::instrument {

// Replaces unknown (negative) counts by what follows from the others. `entry` is the entry's if that does not
// follow.
void SpreadCounts(const CountingGraph& graph, double entry, std::vector<double>* counts);

std::optional<MethodIndex> FindMethod(const Profile& profile, const MethodNames& names);

class EdgeCounts {
 public:
  // `replaced`: compilers may replace calls of the method, so that it has more calls than it was executed.
  void Find(const Profile& profile, MethodIndex index, const MethodGraph& method, bool replaced);

  double calls() const { return calls_; }
  std::span<const double> edges() const { return count_; }  // by edge number

 private:
  double calls_ = 0;
  std::vector<double> count_;
};

}  // namespace iprof::instrument
