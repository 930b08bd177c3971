// Trimmer: chooses what is counted in a method that has no room for everything.
//
// Guarantees: what is kept is counted as truly as ever (its counts never rest on what was dropped,
// coarse_graph.h); calls are always kept. What goes first is what is worth least for its bytes: a
// site's worth is how often it probably runs (frequency.h), times a factor for its kind. So the
// switches and loops of a method stay, and what stands behind a switch's many cases goes. The same
// method, sites and budgets give the same choice. The bytes are an upper bound of what the rewriter
// will need, the registers an estimate of what C1 will (register_budget.h).
//
// Some dozens of plans for a method, so milliseconds: for the few methods near the limit. Keeps its
// memory. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/instrument/effort/register_budget.h"
#include "agent/instrument/plan/method_graph.h"
#include "agent/instrument/plan/placement.h"
#include "agent/instrument/probes/probe_emitter.h"
#include "agent/instrument/probes/site_probes.h"
#include "writer/methods/effort.h"

namespace iprof::instrument {

// Plans counters; where exceptions may leave the method unseen (a constructor's code before
// super()), nobody could say what derived counts are worth, so nothing is derived.
void PlanCertified(const FlowGraph& graph, PlanOptions options, ProbePlanner& planner,
                   ProbePlan* plan);

class Trimmer {
 public:
  struct Input {
    MethodGraph& graph;
    ProbePlanner& planner;
    PlanOptions options;
    std::vector<uint32_t> site_lengths;  // of each site's probe
    ProbeLengths lengths;
    uint32_t budget = 0;
    RegisterCosts register_costs{};
    uint32_t register_budget = UINT32_MAX;
  };

  // Leaves a plan that fits in *plan and the sites that fit in *sites. False: there is no room for
  // anything.
  bool Trim(Input& input, ProbePlan* plan, std::vector<FoundSite>* sites, LeftOut* left_out);

 private:
  struct Item {
    double worth;     // per byte
    uint32_t number;  // of the graph's recorded branches and calls; then sites
  };

  void SortItems(const Input& input, const std::vector<FoundSite>& sites);
  bool Fits(Input& input, ProbePlan* plan);

  std::vector<Item> items_;     // what can be dropped, the worthiest first
  std::vector<uint8_t> kept_;   // by number
  std::vector<uint8_t> never_;  // by number: in code that never runs
};

// What a plan's probes add: bounds of the bytes, but for the padding of switches, and the number of
// increments that C1 compiles. (A probe that counts a switch by its key counts as three.)
struct PlanSize {
  uint32_t least_bytes;
  uint32_t most_bytes;
  uint32_t increments;
};
PlanSize SizeOf(const ProbePlan& plan, const ProbeLengths& lengths);

}  // namespace iprof::instrument
