// SelfCheck: the same-run oracle of derived counts (selfcheck=y).
//
// Every edge of every method is counted directly; at the end each method is asked what tree
// placement would have counted in the very same run, its counts are derived from that, and both are
// compared. No two runs, no nondeterminism. Of branches it is also checked what their shares would
// be as they are written (branch_check.h). What counting would have cost is exact, too: the number of
// increments that tree placement executes in such a run.
//
// Threads: Note from any; Compare once, at the end. Keeps both plans of every method: memory is no
// object here.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "agent/instrument/plan/branch_check.h"
#include "agent/instrument/plan/placement.h"
#include "writer/methods/counter_range.h"
#include "writer/methods/live_frame_count.h"

namespace iprof::instrument {

struct SelfCheckResult {
  uint64_t methods = 0;  // compared: those that ran
  uint64_t counts = 0;   // edges compared
  uint64_t equal = 0;
  uint64_t within_bound = 0;  // differ by no more than k
  uint64_t beyond_bound = 0;  // must be 0
  uint64_t largest_error = 0;
  std::vector<std::string> examples;  // of those beyond, the first few
  uint64_t increments = 0;            // that tree placement would have executed
  BranchCheck branches;

  // Lines for people.
  std::string Report() const;
};

class SelfCheck {
 public:
  void Note(MethodKey key, const ProbePlan& every, const ProbePlan& tree,
            std::vector<BranchEdges> branches, CounterIndex first);

  // `live_frames`: activations of a method that have not ended.
  SelfCheckResult Compare(std::span<const uint64_t> counters,
                          const LiveFrameCount& live_frames) const;

 private:
  struct Method {
    MethodKey key;
    ProbePlan every;
    ProbePlan tree;
    std::vector<BranchEdges> branches;
    CounterIndex first;
  };
  // A method's values by both plans, for the branches.
  struct Values {
    std::span<const uint64_t> direct;
    std::span<const uint64_t> derived;
    uint64_t k;  // without live frames, as when a profile is written
  };
  static void CompareBranches(const Method& method, const Values& values, BranchCheck* check);

  mutable std::mutex mutex_;
  std::vector<Method> methods_;
};

}  // namespace iprof::instrument
