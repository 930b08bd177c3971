// Trimmer: chooses what is counted in a method that has no room for everything.
//
// Guarantees: what is kept is as exact as without trimming: its counts never depend on what was
// dropped (coarse_graph.h). Calls are always kept. What is worth least per byte is dropped first.
// The worth of a branch or site is its estimated frequency (frequency.h) times a factor for its
// kind. So the switches and loops of a method are kept, and the code after a switch's many cases is
// dropped. The same method, sites and budgets give the same choice. The bytes are an upper bound of
// what the rewriter will need; the registers are an estimate of what C1 will need
// (register_budget.h). It makes some dozens of plans per method, which takes milliseconds, but only
// few methods are near the limit. Keeps its memory between methods.
// Threads: one per trimmer. Failure: Trim returns false.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/instrument/probes/probe_emitter.h"
#include "agent/instrument/probes/site_probes.h"
#include "agent/instrument/register_budget.h"
#include "agent/plan/method_graph.h"
#include "agent/plan/placement.h"
#include "writer/records/effort.h"

namespace iprof::instrument {

// Plans counters. If exceptions may leave the method uncounted (in a constructor's code before
// super()), the exactness of derived counts would be unknown, so nothing is derived.
void PlanCertified(const CountingGraph& graph, PlanOptions options, ProbePlanner& planner,
                   ProbePlan* plan);

class Trimmer {
 public:
  struct Input {
    MethodGraph& graph;
    ProbePlanner& planner;
    PlanOptions options;
    std::vector<uint32_t> site_lengths;  // per site, the length of its probe
    ProbeLengths lengths;
    uint32_t budget = 0;
    RegisterCosts register_costs{};
    uint32_t register_budget = UINT32_MAX;
  };

  // Stores a plan that fits in *plan and the sites that fit in *sites. Returns false if nothing
  // fits.
  bool Trim(Input& input, ProbePlan* plan, std::vector<FoundSite>* sites, LeftOut* left_out);

 private:
  struct Item {
    double worth;     // per byte
    uint32_t number;  // number of a recorded branch or call in the graph; sites follow
  };

  void SortItems(const Input& input, const std::vector<FoundSite>& sites);
  bool Fits(Input& input, ProbePlan* plan);

  std::vector<Item> items_;     // what can be dropped, the most valuable first
  std::vector<uint8_t> kept_;   // by number
  std::vector<uint8_t> never_;  // by number: it is in code that never runs
};

// The size of a plan's probes: bounds of the bytes, without the padding of switches, and the number
// of increments that C1 compiles. (A probe that counts a switch by its key counts as three.)
struct PlanSize {
  uint32_t least_bytes;
  uint32_t most_bytes;
  uint32_t increments;
};
PlanSize SizeOf(const ProbePlan& plan, const ProbeLengths& lengths);

}  // namespace iprof::instrument
