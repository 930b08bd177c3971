// ProbePlanner: decides which edges of a method get a counter, where each probe is placed, and how
// every required count follows from the counters.
//
// Guarantees:
// - The entry's count is a counter or, if the first block can only be left by counted edges, the
//   sum of those counters. So a method that never returns is counted too.
// - The count of every required edge of a reachable block is a value of the plan's derivation.
//   Unreachable blocks never run, and their edges have kNoValue.
// - Only counters that an output or the certificate needs are placed. A method without required
//   edges has only its entry counter.
// - writer/records/derivation.h proves how exact derived counts are. The plan's certificate says
//   which counters make up the bound k.
// - Nothing is derived across a caught block (CountingNode::caught). So exceptions that the method
//   catches and then continues from disturb no count, however frequent they are.
// - The same graph and options give the same plan.
//
// Example: `if (x) a(); else b(); c();`, entered 100 times, 70 times with x. The entry has a counter (100), and so has
// one edge of the branch, say that to a (70). Derived: b = entry - a = 30, c = a + b = 100. Two counters instead of four. If b() throws
// 5 times and the method does not catch that, c is 95: so 100 is off by at most the 5 unwinds, which the certificate says.
//
// Placements (PlacementPolicy):
// - direct: each required edge has its own counter. Exact also if something is thrown or
//   frames are live.
// - tree: the hottest edges (frequency.h) that form an undirected spanning forest are not counted.
//   Entry and handler entries are always counted. This needs the fewest increments. Values that are
//   derived from later ones can be too small after an exception, and are clamped at 0.
// - arborescence: every block has one outgoing edge that is not counted, without cycles. So values
//   are derived only from earlier ones and are never too small. It needs as many counters, and
//   sometimes more increments.
// - automatic: the tree, if no exception can disturb a value that it derives. Otherwise the
//   arborescence, unless its estimated increments cost more than `arborescence_slack` times the
//   tree's. (An if-else inside a loop: 1.5 increments per iteration instead of 1, so the tree. A
//   plain loop, or an if-else outside a loop: equal, so the arborescence.)
//
// Costs: a probe on an edge that needs a trampoline (because both ends have other edges) costs
// kTrampolineCost, any other probe 1, times the edge's estimated frequency.
//
// Methods that would become too long: with `close_unrequired`, the derived placements leave the
// counts of branches that are not required unknown and need fewer counters (coarse_graph.h). With
// `short_first`, they avoid trampolines at the cost of more increments.
//
// Switches whose edges are marked by_key are counted completely by one probe: their slots have
// consecutive counters, and none is derived.
//
// Unwinds: with `count_unwinds`, if an exception could disturb a value, the plan has an
// unwind_counter. The emitter then adds one catch-any handler of lowest priority, which counts and
// rethrows. Entries of handlers that catch such exceptions, and throw instructions, are then
// counted too, as the certificate needs.
//
// It takes some microseconds per method, linear except for sorting, and keeps its memory between
// methods.
// Threads: one per planner. Failure: none; every finished graph has a plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/plan/coarse_graph.h"
#include "agent/plan/counting_graph.h"
#include "agent/plan/frequency.h"
#include "agent/plan/spanning_tree.h"
#include "writer/records/derivation.h"

namespace iprof::instrument {

enum class PlacementPolicy : uint8_t {
  kAutomatic,
  kDirect,
  kTree,
  kArborescence,
  // direct, and also all other edges: what the same-run oracle replays (ReplayCounters)
  kEveryEdge,
};

struct PlanOptions {
  PlacementPolicy policy = PlacementPolicy::kAutomatic;
  bool count_unwinds = true;
  double arborescence_slack = 1.05;
  bool close_unrequired = false;
  bool short_first = false;
  // What is known of the edges' weights (frequency.h), by edge number; must live while planning.
  std::span<const double> weights = {};
};

// Where the emitter puts a probe. `insn` and `slot` are the graph's.
enum class ProbeAt : uint8_t {
  kMethodEntry,   // before the first instruction; jumps to it do not run the probe
  kHandlerEntry,  // run by exceptions that reach the handler at insn, not by jumps or fall-through
  kBlockHead,     // before insn, run by everything that reaches it
  kBefore,        // before insn, which ends its block: a jump, return or athrow
  kAfter,         // after insn, only on the way to the next instruction
  kTaken,         // trampoline on the branch of insn
  kSlot,          // trampoline on one slot of the switch at insn
  // Before the switch at insn: the probe of its first slot counts all slots, in its counter and
  // those of the following probes.
  kByKey,
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
  uint32_t unwind_counter = kNoCounter;  // after the probes' counters; for the catch-any handler
  Derivation derivation;
  Certificate certificate;
  std::vector<ValueId> value_of_edge;  // by edge number; kNoValue: neither counted nor derived
  double cost = 0;                     // estimated increments per call, with trampolines weighted

  uint32_t counter_count() const { return derivation.counter_count; }
};

class ProbePlanner {
 public:
  static constexpr double kTrampolineCost = 1.25;

  // The graph must be finished. The plan is overwritten and its memory reused.
  void Plan(const CountingGraph& graph, const PlanOptions& options, ProbePlan* plan);

  // The estimate behind the last plan; others use its loop depths.
  const FrequencyEstimate& frequency() const { return frequency_; }

 private:
  enum EdgeState : uint8_t { kDead, kCounted, kDerived };
  struct Step {
    uint32_t node;
    uint32_t edge;
  };

  void FindPositions(const CountingGraph& graph, const PlanOptions& options);
  void PlanCoarse(const CountingGraph& graph, const PlanOptions& options, ProbePlan* plan);
  void PlanDerived(const CountingGraph& graph, const PlanOptions& options, ProbePlan* plan);
  void PlanDirect(const CountingGraph& graph, bool every_edge, ProbePlan* plan);
  void PlanForest(const CountingGraph& graph, const PlanOptions& options, ProbePlan* plan);
  void PlanArborescence(const CountingGraph& graph, const PlanOptions& options, ProbePlan* plan);
  void SetStates(const CountingGraph& graph);
  void DeriveEntry(const CountingGraph& graph);
  void OrderSteps(const CountingGraph& graph);
  bool KeepNeeded(const CountingGraph& graph, const PlanOptions& options);
  void CountForCertificate(const CountingGraph& graph);
  double CountedCost(const CountingGraph& graph) const;
  void Write(const CountingGraph& graph, const PlanOptions& options, ProbePlan* plan);
  void WriteCounters(const CountingGraph& graph, ProbePlan* plan);
  void WriteCertificate(const CountingGraph& graph, const PlanOptions& options, ProbePlan* plan);

  FrequencyEstimate frequency_;
  CoarseGraph coarse_;
  bool may_derive_entry_ = true;
  SpanningForest forest_;
  Arborescence arborescence_;
  std::vector<Probe> position_;  // by edge number
  std::vector<double> cost_;     // by edge number
  std::vector<double> weight_;   // cost, or -1: must be counted
  std::vector<uint8_t> chosen_, fake_exit_, live_;
  std::vector<uint8_t> state_;           // EdgeState by edge number
  std::vector<uint8_t> needed_;          // by edge number
  std::vector<uint8_t> disturbed_;       // by node: used in a step, and exceptions may leave it
  std::vector<uint32_t> disturbed_sum_;  // number of disturbed nodes before a node
  // number of disturbed nodes before a node that call something
  std::vector<uint32_t> calling_sum_;
  std::vector<uint8_t> guarding_;  // by node: a handler whose entries the certificate needs
  std::vector<int32_t> leaks_;     // by node: how many other handlers may catch there
  // by node: number of underived edges, and the xor of their ids
  std::vector<uint32_t> open_count_, open_xor_;
  std::vector<uint32_t> queue_;
  std::vector<Step> steps_;
};

// For the same-run oracle. `every` counted each edge of `graph` itself (kEveryEdge), and its
// counters are every_counters. Computes what `plan`'s counters would have been in the same run. Its
// unwind counter becomes `unwinds`.
void ReplayCounters(const ProbePlan& every, std::span<const uint64_t> every_counters,
                    const ProbePlan& plan, uint64_t unwinds, std::vector<uint64_t>* counters);

}  // namespace iprof::instrument
