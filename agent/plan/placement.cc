#include "agent/plan/placement.h"

#include <algorithm>

namespace iprof::instrument {
namespace {

bool NeedsTrampoline(ProbeAt at) { return at == ProbeAt::kTaken || at == ProbeAt::kSlot; }

// The place of a counter for `edge`. A probe inside a block is cheaper than a trampoline, so an
// edge that is its target's only way in, or its source's only way out, is counted there. A place at
// the edge itself is preferred to the target's head only if it costs nothing.
Probe PositionOf(const CountingGraph& graph, uint32_t number) {
  const CountingEdge& e = graph.edge(EdgeId{number});
  const bool only_way_in = graph.In(Index(e.dst)).size() == 1;
  const uint32_t head = graph.node(e.dst).first_insn;
  if (e.by_key) return {EdgeId{number}, ProbeAt::kByKey, e.insn, e.slot};
  switch (e.kind) {
    case EdgeKind::kEntry:
      return {EdgeId{number}, ProbeAt::kMethodEntry, e.insn, 0};
    case EdgeKind::kHandler:
      return {EdgeId{number}, ProbeAt::kHandlerEntry, e.insn, 0};
    case EdgeKind::kInside:
      return {EdgeId{number}, ProbeAt::kBlockHead, e.insn, 0};
    case EdgeKind::kFallThrough:
    case EdgeKind::kNotTaken:
      return {EdgeId{number}, ProbeAt::kAfter, e.insn, 0};
    case EdgeKind::kJump:
    case EdgeKind::kReturn:
    case EdgeKind::kThrow:
      return {EdgeId{number}, ProbeAt::kBefore, e.insn, 0};
    case EdgeKind::kTaken:
    case EdgeKind::kSlot:
      break;
  }
  if (only_way_in && e.dst != kRoot) return {EdgeId{number}, ProbeAt::kBlockHead, head, 0};
  return {EdgeId{number}, e.kind == EdgeKind::kTaken ? ProbeAt::kTaken : ProbeAt::kSlot, e.insn,
          e.slot};
}

}  // namespace

void ProbePlanner::Plan(const CountingGraph& graph, const PlanOptions& options, ProbePlan* plan) {
  frequency_.Compute(graph, options.weights);
  const uint32_t nodes = graph.node_count();
  live_.resize(nodes);
  for (uint32_t v = 0; v < nodes; ++v) live_[v] = frequency_.Reachable(v) ? 1 : 0;
  FindPositions(graph, options);
  may_derive_entry_ = true;
  if (options.policy == PlacementPolicy::kDirect || options.policy == PlacementPolicy::kEveryEdge) {
    PlanDirect(graph, options.policy == PlacementPolicy::kEveryEdge, plan);
  } else if (options.close_unrequired) {
    PlanCoarse(graph, options, plan);
  } else {
    PlanDerived(graph, options, plan);
  }
}

// Plans on the coarse graph, with costs and positions of the whole graph.
void ProbePlanner::PlanCoarse(const CountingGraph& graph, const PlanOptions& options,
                              ProbePlan* plan) {
  coarse_.Build(graph, live_);
  const CountingGraph& chosen_on = coarse_.graph();
  // A fine edge's number is never smaller than its coarse one.
  for (uint32_t e = 0; e < chosen_on.edge_count(); ++e) {
    position_[e] = position_[coarse_.FineEdge(e)];
    cost_[e] = cost_[coarse_.FineEdge(e)];
  }
  live_.assign(chosen_on.node_count(), 1);
  // An activation may stay inside a merged node, so its outgoing edges say nothing about its
  // incoming one.
  may_derive_entry_ = coarse_.first_is_single();
  PlanDerived(chosen_on, options, plan);
  coarse_.ToFine(graph.edge_count(), &plan->value_of_edge);
}

void ProbePlanner::PlanDerived(const CountingGraph& graph, const PlanOptions& options,
                               ProbePlan* plan) {
  switch (options.policy) {
    case PlacementPolicy::kTree:
      PlanForest(graph, options, plan);
      Write(graph, options, plan);
      return;
    case PlacementPolicy::kArborescence:
      PlanArborescence(graph, options, plan);
      Write(graph, options, plan);
      return;
    case PlacementPolicy::kDirect:
    case PlacementPolicy::kEveryEdge:
    case PlacementPolicy::kAutomatic:
      break;
  }
  PlanForest(graph, options, plan);
  if (std::none_of(disturbed_.begin(), disturbed_.end(), [](uint8_t d) { return d != 0; })) {
    Write(graph, options, plan);
    return;
  }
  const double tree_cost = CountedCost(graph);
  PlanArborescence(graph, options, plan);
  if (CountedCost(graph) > tree_cost * options.arborescence_slack) {
    PlanForest(graph, options, plan);
  }
  Write(graph, options, plan);
}

void ProbePlanner::FindPositions(const CountingGraph& graph, const PlanOptions& options) {
  const uint32_t edges = graph.edge_count();
  position_.resize(edges);
  cost_.resize(edges);
  for (uint32_t e = 0; e < edges; ++e) {
    position_[e] = PositionOf(graph, e);
    cost_[e] = frequency_.edge_frequency()[e];
    if (!NeedsTrampoline(position_[e].at)) continue;
    cost_[e] *= kTrampolineCost;
    if (options.short_first) cost_[e] += FrequencyEstimate::kMaxFrequency;
  }
}

void ProbePlanner::PlanDirect(const CountingGraph& graph, bool every_edge, ProbePlan* plan) {
  const uint32_t edges = graph.edge_count();
  state_.assign(edges, kDead);
  needed_.assign(edges, 0);
  steps_.clear();
  for (uint32_t e = 0; e < edges; ++e) {
    const CountingEdge& edge = graph.edge(EdgeId{e});
    if (live_[Index(edge.src)] == 0 || live_[Index(edge.dst)] == 0) continue;
    state_[e] = kCounted;
    needed_[e] = e == 0 || edge.required || every_edge;
  }
  plan->placement = every_edge ? PlacementPolicy::kEveryEdge : PlacementPolicy::kDirect;
  plan->cost = CountedCost(graph);
  plan->certificate.Clear();
  WriteCounters(graph, plan);
}

void ProbePlanner::PlanForest(const CountingGraph& graph, const PlanOptions& options,
                              ProbePlan* plan) {
  SetStates(graph);
  chosen_.resize(graph.edge_count());
  forest_.Choose(graph, weight_, chosen_);
  for (uint32_t e = 0; e < graph.edge_count(); ++e) {
    if (chosen_[e] != 0) state_[e] = kDerived;
  }
  DeriveEntry(graph);
  OrderSteps(graph);
  KeepNeeded(graph, options);
  plan->placement = PlacementPolicy::kTree;
}

void ProbePlanner::PlanArborescence(const CountingGraph& graph, const PlanOptions& options,
                                    ProbePlan* plan) {
  SetStates(graph);
  chosen_.resize(graph.edge_count());
  fake_exit_.resize(graph.node_count());
  arborescence_.Choose(graph, weight_, live_, chosen_, fake_exit_);
  for (uint32_t e = 0; e < graph.edge_count(); ++e) {
    if (chosen_[e] == 0) continue;
    if (graph.edge(EdgeId{e}).by_key) {
      fake_exit_[Index(graph.edge(EdgeId{e}).src)] = 1;  // all slots of the switch are counted
    } else {
      state_[e] = kDerived;
    }
  }
  DeriveEntry(graph);
  OrderSteps(graph);
  KeepNeeded(graph, options);
  plan->placement = PlacementPolicy::kArborescence;
}

// Starts with every live edge counted. The weights say which edges may be derived instead.
void ProbePlanner::SetStates(const CountingGraph& graph) {
  const uint32_t edges = graph.edge_count();
  state_.assign(edges, kDead);
  weight_.assign(edges, -1);
  for (uint32_t e = 0; e < edges; ++e) {
    const CountingEdge& edge = graph.edge(EdgeId{e});
    if (live_[Index(edge.src)] == 0 || live_[Index(edge.dst)] == 0) continue;
    state_[e] = kCounted;
    if (edge.src != kRoot && !edge.by_key) weight_[e] = cost_[e];
  }
  fake_exit_.assign(graph.node_count(), 0);
  for (uint32_t v = 1; v < graph.node_count(); ++v) {
    if (graph.node(NodeId{v}).caught) fake_exit_[v] = 1;
  }
}

// If a first block only tests something, it is left by one of its outgoing edges as soon as it
// begins. So the entry is their sum, also in a method that never returns, and needs no counter if
// all of them have one. A call then increments one counter instead of one plus the share of
// another. And no counter is incremented by every call (an increment waits for the previous one).
void ProbePlanner::DeriveEntry(const CountingGraph& graph) {
  const uint32_t first = Index(graph.edge(kEntryEdge).dst);
  const CountingNode& node = graph.node(NodeId{first});
  if (!may_derive_entry_ || node.may_throw || graph.In(first).size() != 1) return;
  uint32_t derived = 0;
  uint32_t derived_count = 0;
  for (uint32_t e : graph.Out(first)) {
    if (!graph.edge(EdgeId{e}).required) return;
    if (state_[e] != kDerived) continue;
    derived = e;
    ++derived_count;
  }
  if (derived_count != 1 || cost_[derived] >= cost_[Index(kEntryEdge)]) return;
  state_[derived] = kCounted;
  state_[Index(kEntryEdge)] = kDerived;
}

// Removes the derived edges from their forest one by one: a node with one open edge derives it. The
// root's conservation is never used, because exceptions and live frames do not pass through the
// root. In a part of the forest without the root (an endless loop), the conservation of one node
// stays unused. A fake exit makes its node's conservation unusable. Caught blocks have one, and so
// do the nodes of an arborescence whose way out is a fake edge; every other node of an arborescence
// derives its own outgoing edge.
void ProbePlanner::OrderSteps(const CountingGraph& graph) {
  const uint32_t nodes = graph.node_count();
  open_count_.assign(nodes, 0);
  open_xor_.assign(nodes, 0);
  for (uint32_t e = 0; e < graph.edge_count(); ++e) {
    if (state_[e] != kDerived) continue;
    for (NodeId v : {graph.edge(EdgeId{e}).src, graph.edge(EdgeId{e}).dst}) {
      ++open_count_[Index(v)];
      open_xor_[Index(v)] ^= e;
    }
  }
  auto may_derive = [&](uint32_t v) {
    return v != Index(kRoot) && fake_exit_[v] == 0 && open_count_[v] == 1;
  };
  queue_.clear();
  for (uint32_t v = 1; v < nodes; ++v) {
    if (may_derive(v)) queue_.push_back(v);
  }
  steps_.clear();
  for (size_t at = 0; at < queue_.size(); ++at) {
    const uint32_t v = queue_[at];
    if (open_count_[v] != 1) continue;  // its edge was derived from the other end
    const uint32_t e = open_xor_[v];
    steps_.push_back({v, e});
    open_count_[v] = 0;
    const CountingEdge& edge = graph.edge(EdgeId{e});
    const uint32_t other = Index(edge.src) == v ? Index(edge.dst) : Index(edge.src);
    open_xor_[other] ^= e;
    --open_count_[other];
    if (may_derive(other)) queue_.push_back(other);
  }
}

// Goes backwards through the steps: removes steps whose edge is not needed, and counters that only
// such steps read. Returns whether an exception could disturb any of the remaining steps.
bool ProbePlanner::KeepNeeded(const CountingGraph& graph, const PlanOptions& options) {
  const uint32_t edges = graph.edge_count();
  const uint32_t nodes = graph.node_count();
  needed_.resize(edges);
  for (uint32_t e = 0; e < edges; ++e) {
    needed_[e] = state_[e] != kDead && (e == 0 || graph.edge(EdgeId{e}).required);
  }
  disturbed_.assign(nodes, 0);
  bool any = false;
  size_t kept = steps_.size();
  for (size_t i = steps_.size(); i-- > 0;) {
    const Step step = steps_[i];
    if (needed_[step.edge] == 0) continue;
    for (const bool out : {false, true}) {
      for (uint32_t e : out ? graph.Out(step.node) : graph.In(step.node)) {
        // A self loop is on both sides and cancels out.
        const CountingEdge& edge = graph.edge(EdgeId{e});
        if (state_[e] != kDead && edge.src != edge.dst) needed_[e] = 1;
      }
    }
    if (graph.node(NodeId{step.node}).may_throw) {
      disturbed_[step.node] = 1;
      any = true;
    }
    steps_[--kept] = step;
  }
  steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(kept));

  guarding_.assign(nodes, 0);
  if (any && options.count_unwinds) CountForCertificate(graph);
  return any;
}

// Counts the handlers that catch what leaves a disturbed block, and the throw instructions unless
// they are derived. Both are cheap compared with an exception.
void ProbePlanner::CountForCertificate(const CountingGraph& graph) {
  const uint32_t nodes = graph.node_count();
  disturbed_sum_.assign(nodes + 1, 0);
  calling_sum_.assign(nodes + 1, 0);
  for (uint32_t v = 0; v < nodes; ++v) {
    const bool calls = disturbed_[v] != 0 && graph.node(NodeId{v}).calls;
    disturbed_sum_[v + 1] = disturbed_sum_[v] + disturbed_[v];
    calling_sum_[v + 1] = calling_sum_[v] + (calls ? 1 : 0);
  }
  for (const HandlerRange& r : graph.ranges()) {
    const std::vector<uint32_t>& sum = r.calls_only ? calling_sum_ : disturbed_sum_;
    if (sum[Index(r.end)] > sum[Index(r.first)]) guarding_[Index(r.handler)] = 1;
  }
  for (uint32_t e : graph.Out(Index(kRoot))) {
    if (guarding_[Index(graph.edge(EdgeId{e}).dst)] != 0 && state_[e] != kDead) needed_[e] = 1;
  }
  for (uint32_t e : graph.In(Index(kRoot))) {
    if (graph.edge(EdgeId{e}).kind != EdgeKind::kThrow || state_[e] == kDead) continue;
    if (state_[e] == kDerived && needed_[e] != 0) continue;
    state_[e] = kCounted;
    needed_[e] = 1;
  }
}

double ProbePlanner::CountedCost(const CountingGraph& graph) const {
  double cost = 0;
  for (uint32_t e = 0; e < graph.edge_count(); ++e) {
    if (state_[e] == kCounted && needed_[e] != 0) cost += cost_[e];
  }
  return cost;
}

void ProbePlanner::Write(const CountingGraph& graph, const PlanOptions& options, ProbePlan* plan) {
  plan->cost = CountedCost(graph);
  plan->certificate.Clear();
  WriteCounters(graph, plan);
  WriteCertificate(graph, options, plan);

  // Steps come last: their values follow all counters, including the unwind counter.
  Derivation& d = plan->derivation;
  for (const Step& step : steps_) {
    plan->value_of_edge[step.edge] = d.value_count();
    if (disturbed_[step.node] != 0) plan->certificate.disturbed.push_back(d.value_count());
    const bool outgoing = Index(graph.edge(EdgeId{step.edge}).src) == step.node;
    for (const bool out : {false, true}) {
      for (uint32_t e : out ? graph.Out(step.node) : graph.In(step.node)) {
        const CountingEdge& edge = graph.edge(EdgeId{e});
        if (e == step.edge || state_[e] == kDead || edge.src == edge.dst) continue;
        const ValueId value = plan->value_of_edge[e];
        d.operands.push_back(out == outgoing ? Operand::Minus(value) : Operand::Plus(value));
      }
    }
    d.step_end.push_back(static_cast<uint32_t>(d.operands.size()));
  }
}

void ProbePlanner::WriteCounters(const CountingGraph& graph, ProbePlan* plan) {
  plan->probes.clear();
  plan->unwind_counter = kNoCounter;
  plan->derivation.Clear();
  plan->value_of_edge.assign(graph.edge_count(), kNoValue);
  for (uint32_t e = 0; e < graph.edge_count(); ++e) {
    if (state_[e] != kCounted || needed_[e] == 0) continue;
    plan->value_of_edge[e] = plan->derivation.counter_count++;
    plan->probes.push_back(position_[e]);
  }
}

void ProbePlanner::WriteCertificate(const CountingGraph& graph, const PlanOptions& options,
                                    ProbePlan* plan) {
  Certificate& certificate = plan->certificate;
  certificate.live_frames_matter = !steps_.empty();
  bool disturbed = false;
  bool seen = options.count_unwinds;
  for (uint32_t v = 0; v < graph.node_count(); ++v) {
    if (disturbed_[v] == 0) continue;
    disturbed = true;
    if (graph.node(NodeId{v}).unguarded) seen = false;
  }
  if (!disturbed) return;
  certificate.kind = seen ? Exactness::kBounded : Exactness::kUnknown;
  if (!options.count_unwinds) return;
  for (uint32_t e : graph.Out(Index(kRoot))) {
    const CountingEdge& edge = graph.edge(EdgeId{e});
    if (edge.kind != EdgeKind::kHandler || state_[e] == kDead) continue;
    if (guarding_[Index(edge.dst)] != 0) certificate.abrupt.push_back(plan->value_of_edge[e]);
  }
  plan->unwind_counter = plan->derivation.counter_count++;
  certificate.abrupt.push_back(plan->unwind_counter);
  // A counted athrow ends in a handler or unwinds, and is not an imbalance. If all handlers that it
  // can reach are in the certificate's sum, it is included in that sum and must be subtracted.
  leaks_.assign(graph.node_count() + 1, 0);
  for (const HandlerRange& r : graph.ranges()) {
    if (guarding_[Index(r.handler)] != 0) continue;
    ++leaks_[Index(r.first)];
    --leaks_[Index(r.end)];
  }
  for (uint32_t v = 0; v < graph.node_count(); ++v) leaks_[v + 1] += leaks_[v];
  for (uint32_t e : graph.In(Index(kRoot))) {
    const CountingEdge& edge = graph.edge(EdgeId{e});
    if (edge.kind != EdgeKind::kThrow || state_[e] != kCounted || needed_[e] == 0) continue;
    if (leaks_[Index(edge.src)] != 0) continue;
    if (graph.node(edge.src).unguarded) continue;
    certificate.thrown.push_back(plan->value_of_edge[e]);
  }
}

void ReplayCounters(const ProbePlan& every, std::span<const uint64_t> every_counters,
                    const ProbePlan& plan, uint64_t unwinds, std::vector<uint64_t>* counters) {
  counters->clear();
  for (const Probe& probe : plan.probes) {
    counters->push_back(every_counters[every.value_of_edge[Index(probe.edge)]]);
  }
  if (plan.unwind_counter != kNoCounter) counters->push_back(unwinds);
}

}  // namespace iprof::instrument
