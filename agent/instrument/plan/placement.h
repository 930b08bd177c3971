// ProbePlanner: which edges of a method get a counter, where each probe stands, and how every
// required count follows from the counters.
//
// Guarantees:
//  - The entry's count is always that of a counter, or the sum of the counters on the ways out of a
//    first block that cannot be left otherwise: a method that never returns is counted too.
//  - The count of every required edge of a reachable block is a value of the plan's derivation;
//    unreachable blocks never run, their edges have kNoValue.
//  - Nothing is counted that no output rests on (and no certificate needs): a method without
//    required edges has its entry counter only.
//  - What the derived counts are worth is what writer/methods/derivation.h proves; the plan's
//    certificate says which counters make up the bound k.
//  - Nothing is derived across a caught block (FlowNode::caught): exceptions that the method itself
//    catches and goes on from disturb no count, however frequent they are.
//  - Deterministic: the same graph and options give the same plan.
//
// Placements (PlacementPolicy):
//  - direct: each required edge has its own counter. Exact, whatever is thrown, whatever is live.
//  - tree: the hottest edges (frequency.h) that form an undirected spanning forest are uncounted.
//    Entry and handler entries are never among them. Fewest increments; values derived from later
//    ones can come out too small after an exception, and are clamped at 0.
//  - arborescence: every block leaves one outgoing edge uncounted, without cycles: values are
//    derived from earlier ones only and are never too small. As many counters, sometimes more
//    increments.
//  - automatic: where no exception can disturb a value that the tree derives, the tree. Otherwise
//    the arborescence, unless its estimated increments cost more than `arborescence_slack` times
//    the tree's. (An if-else inside a loop: 1.5 increments an iteration instead of 1, so the tree;
//    a plain loop or an if-else outside one: equal, so the arborescence.)
//
// Costs: a probe on an edge that needs a trampoline (both ends busy) counts kTrampolineCost, any
// other 1, times the edge's estimated frequency.
//
// Methods that would become too long: with `close_unrequired` the derived placements leave the
// counts of branches that nobody asks for unknown and need fewer counters (coarse_graph.h), and with
// `short_first` they avoid trampolines at the price of more increments.
//
// Switches whose edges are marked by_key are counted whole, by one probe: their slots have counters
// that follow each other, and none is derived.
//
// Unwinds: with `count_unwinds` the emitter adds one lowest-priority catch-any handler that counts
// and rethrows, wherever plan.unwind_counter says so; it is asked for only in methods where an
// exception could disturb a value. Entries of handlers that catch such exceptions are then counted
// too, and throw instructions, as the certificate needs.
//
// Takes some microseconds a method, linear but for sorting; keeps its memory between methods. One
// planner per thread.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/instrument/plan/coarse_graph.h"
#include "agent/instrument/plan/flow_graph.h"
#include "agent/instrument/plan/frequency.h"
#include "agent/instrument/plan/spanning_tree.h"
#include "writer/methods/derivation.h"

namespace iprof::instrument {

enum class PlacementPolicy : uint8_t {
  kAutomatic,
  kDirect,
  kTree,
  kArborescence,
  kEveryEdge,  // direct, and all other edges too: what the same-run oracle replays (ReplayCounters)
};

struct PlanOptions {
  PlacementPolicy policy = PlacementPolicy::kAutomatic;
  bool count_unwinds = true;
  double arborescence_slack = 1.05;
  bool close_unrequired = false;
  bool short_first = false;
};

// Where the emitter puts a probe; `insn` and `slot` are the graph's.
enum class ProbeAt : uint8_t {
  kMethodEntry,   // before the first instruction, not run by jumps to it
  kHandlerEntry,  // run by exceptions that reach the handler at insn, not by jumps or fall-through
  kBlockHead,     // before insn, run by everything that gets there
  kBefore,        // before insn, which ends its block: a jump, return or athrow
  kAfter,         // after insn, on the way to the next instruction only
  kTaken,         // trampoline on the branch of insn
  kSlot,          // trampoline on one slot of the switch at insn
  kByKey,         // before the switch at insn: the probe of its first slot counts all of them, in
                  // the counters of the probes that follow this one
};

struct Probe {
  EdgeId edge;
  ProbeAt at;
  uint32_t insn;
  uint32_t slot;
};

inline constexpr uint32_t kNoCounter = UINT32_MAX;

struct ProbePlan {
  PlacementPolicy placement = PlacementPolicy::kDirect;  // never kAutomatic
  std::vector<Probe> probes;                             // probes[i] increments counter i
  uint32_t unwind_counter = kNoCounter;                  // after the probes', for the catch-any
  Derivation derivation;
  Certificate certificate;
  std::vector<ValueId> value_of_edge;  // by edge number; kNoValue: neither counted nor derived
  double cost = 0;                     // estimated increments per call, trampolines weighted

  uint32_t counter_count() const { return derivation.counter_count; }
};

class ProbePlanner {
 public:
  static constexpr double kTrampolineCost = 1.25;

  // The graph must be finished. The plan is overwritten, its memory reused.
  void Plan(const FlowGraph& graph, const PlanOptions& options, ProbePlan* plan);

  // The estimate behind the last plan (loop depth is of use to others).
  const FrequencyEstimate& frequency() const { return frequency_; }

 private:
  enum EdgeState : uint8_t { kDead, kCounted, kDerived };
  struct Step {
    uint32_t node;
    uint32_t edge;
  };

  void FindPositions(const FlowGraph& graph, const PlanOptions& options);
  void PlanCoarse(const FlowGraph& graph, const PlanOptions& options, ProbePlan* plan);
  void PlanDerived(const FlowGraph& graph, const PlanOptions& options, ProbePlan* plan);
  void PlanDirect(const FlowGraph& graph, bool every_edge, ProbePlan* plan);
  void PlanForest(const FlowGraph& graph, const PlanOptions& options, ProbePlan* plan);
  void PlanArborescence(const FlowGraph& graph, const PlanOptions& options, ProbePlan* plan);
  void SetStates(const FlowGraph& graph);
  void DeriveEntry(const FlowGraph& graph);
  void OrderSteps(const FlowGraph& graph);
  bool KeepNeeded(const FlowGraph& graph, const PlanOptions& options);
  void CountForCertificate(const FlowGraph& graph);
  double CountedCost(const FlowGraph& graph) const;
  void Write(const FlowGraph& graph, const PlanOptions& options, ProbePlan* plan);
  void WriteCounters(const FlowGraph& graph, ProbePlan* plan);
  void WriteCertificate(const FlowGraph& graph, const PlanOptions& options, ProbePlan* plan);

  FrequencyEstimate frequency_;
  CoarseGraph coarse_;
  bool may_derive_entry_ = true;
  SpanningForest forest_;
  Arborescence arborescence_;
  std::vector<Probe> position_;  // by edge number
  std::vector<double> cost_;     // by edge number
  std::vector<double> weight_;   // cost, or -1: never uncounted
  std::vector<uint8_t> chosen_, fake_exit_, live_;
  std::vector<uint8_t> state_;           // EdgeState by edge number
  std::vector<uint8_t> needed_;          // by edge number
  std::vector<uint8_t> disturbed_;       // by node: used in a step, and exceptions may leave it
  std::vector<uint32_t> disturbed_sum_;  // disturbed nodes before a node
  std::vector<uint32_t> calling_sum_;    // disturbed nodes before a node that call something
  std::vector<uint8_t> guarding_;        // by node: handler whose entries the certificate needs
  std::vector<int32_t> leaks_;           // by node: how many other handlers may catch there
  std::vector<uint32_t> open_count_, open_xor_;  // by node: underived edges, and their ids xored
  std::vector<uint32_t> queue_;
  std::vector<Step> steps_;
};

// The same-run oracle: `every` counted each edge of `graph` itself (kEveryEdge) and its counters
// hold every_counters; the result is what `plan`'s counters would have held in the same run. Its
// unwind counter gets `unwinds`.
void ReplayCounters(const ProbePlan& every, std::span<const uint64_t> every_counters,
                    const ProbePlan& plan, uint64_t unwinds, std::vector<uint64_t>* counters);

}  // namespace iprof::instrument
