// SelfCheck: the same-run oracle for derived counts (selfcheck=y).
//
// Every edge of every method is counted directly. At the end, it computes what tree placement would
// have counted in the same run, derives the counts from that, and compares both. As there is only
// one run, there is no nondeterminism. For branches, it also checks their shares as they would be
// written (branch_check.h). The cost of counting is exact too: the number of increments that tree
// placement would execute in that run.
//
// Guarantees: keeps both plans of every method, without a memory limit.
// Threads: Note on any thread; Compare once, at the end. Failure: differences are in the result.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "agent/plan/branch_check.h"
#include "agent/plan/placement.h"
#include "writer/records/counter_range.h"
#include "writer/records/live_frame_count.h"

namespace iprof::instrument {

struct SelfCheckResult {
  uint64_t methods = 0;  // compared methods: those that ran
  uint64_t counts = 0;   // compared edges
  uint64_t equal = 0;
  uint64_t within_bound = 0;  // different by at most k
  uint64_t beyond_bound = 0;  // must be 0
  uint64_t largest_error = 0;
  std::vector<std::string> examples;  // the first few beyond the bound
  uint64_t increments = 0;            // that tree placement would have executed
  BranchCheck branches;

  // A report for the user.
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
    uint64_t k;  // without live frames, as in a profile
  };
  static void CompareBranches(const Method& method, const Values& values, BranchCheck* check);

  mutable std::mutex mutex_;
  std::vector<Method> methods_;
};

}  // namespace iprof::instrument
