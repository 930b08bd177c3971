// For tests: checks of a plan against a run that knows the truth (random_method.h).
//
// Guarantees: nothing here asks the planner; what must hold is computed from the graph and the run.
// Threads: pure but for Catch's assertions, which need the test's thread. Failure: fails the test,
// and prints the graph with true and derived counts.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/plan/placement.h"
#include "agent/plan/random_method.h"

namespace iprof::instrument {

inline constexpr PlacementPolicy kPolicies[] = {PlacementPolicy::kAutomatic,
                                                PlacementPolicy::kDirect, PlacementPolicy::kTree,
                                                PlacementPolicy::kArborescence};

// The plan's counters after a run, and everything derived from them.
std::vector<uint64_t> ValuesAfter(const ProbePlan& plan, const RandomRun& run, uint32_t* clamps);

// Nodes that a walk from the root finds. The planner's own answer is not used here.
std::vector<uint8_t> ReachableNodes(const CountingGraph& graph);

struct Tally {
  uint64_t plans = 0, derived = 0, clamps = 0, bounded = 0, inexact_values = 0;
};

// Checks one graph, one run and one policy: every guarantee of placement.h and derivation.h that a
// run can break.
void CheckRun(const CountingGraph& graph, const ProbePlan& plan, const RandomRun& run,
              Tally* tally);

// Checks that the plan's probes, counters and places fit the graph and each other.
void CheckShape(const CountingGraph& graph, const ProbePlan& plan);

}  // namespace iprof::instrument
