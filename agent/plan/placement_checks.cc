#include "agent/plan/placement_checks.h"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>

namespace iprof::instrument {
namespace {

std::string Describe(const CountingGraph& graph, const ProbePlan& plan,
                     const std::vector<uint64_t>& truth, const std::vector<uint64_t>& values) {
  std::ostringstream out;
  out << "placement " << static_cast<int>(plan.placement) << "\n";
  for (uint32_t e = 0; e < graph.edge_count(); ++e) {
    const CountingEdge& edge = graph.edge(EdgeId{e});
    out << "  edge " << e << ": " << Index(edge.src) << " -> " << Index(edge.dst) << " kind "
        << static_cast<int>(edge.kind) << (edge.required ? " required" : "") << " truth "
        << truth[e];
    if (plan.value_of_edge[e] != kNoValue) {
      out << " value " << values[plan.value_of_edge[e]]
          << (plan.value_of_edge[e] < plan.counter_count() ? " counted" : " derived");
    }
    out << "\n";
  }
  return out.str();
}

}  // namespace

std::vector<uint64_t> ValuesAfter(const ProbePlan& plan, const RandomRun& run, uint32_t* clamps) {
  std::vector<uint64_t> values(plan.derivation.value_count());
  for (size_t i = 0; i < plan.probes.size(); ++i) {
    values[i] = run.edge_count[Index(plan.probes[i].edge)];
  }
  if (plan.unwind_counter != kNoCounter) values[plan.unwind_counter] = run.unwinds;
  *clamps = Derive(plan.derivation, values);
  return values;
}

std::vector<uint8_t> ReachableNodes(const CountingGraph& graph) {
  std::vector<uint8_t> seen(graph.node_count(), 0);
  std::vector<uint32_t> work{Index(kRoot)};
  seen[0] = 1;
  while (!work.empty()) {
    const uint32_t v = work.back();
    work.pop_back();
    for (uint32_t e : graph.Out(v)) {
      const uint32_t dst = Index(graph.edge(EdgeId{e}).dst);
      if (seen[dst] == 0) {
        seen[dst] = 1;
        work.push_back(dst);
      }
    }
  }
  return seen;
}

void CheckRun(const CountingGraph& graph, const ProbePlan& plan, const RandomRun& run,
              Tally* tally) {
  uint32_t clamps = 0;
  const std::vector<uint64_t> values = ValuesAfter(plan, run, &clamps);
  const ErrorBound bound = BoundOf(plan.certificate, values, run.live);
  const std::vector<uint8_t> reachable = ReachableNodes(graph);
  const bool arborescence = plan.placement == PlacementPolicy::kArborescence;
  std::vector<uint8_t> touched(values.size());
  FindTouched(plan.derivation, plan.certificate, touched);
  ++tally->plans;
  tally->clamps += clamps;
  tally->bounded += bound.kind == Exactness::kBounded;

  auto fail = [&](const char* why, uint32_t e) {
    INFO(why << ", edge " << e << ", k " << bound.k << ", kind " << static_cast<int>(bound.kind));
    INFO(Describe(graph, plan, run.edge_count, values));
    FAIL();
  };
  const ValueId entry = plan.value_of_edge[Index(kEntryEdge)];
  // A derived entry misses frames in the first block, but no thread stays there.
  const uint64_t allowed = entry < plan.counter_count() ? 0 : run.live;
  if (values[entry] > run.edge_count[0] || run.edge_count[0] - values[entry] > allowed)
    fail("entry", 0);
  if (clamps != 0 && (arborescence || run.imbalances == 0)) fail("clamped", 0);
  for (uint32_t e = 0; e < graph.edge_count(); ++e) {
    const ValueId value = plan.value_of_edge[e];
    const CountingEdge& edge = graph.edge(EdgeId{e});
    if (value == kNoValue) {
      if (edge.required && reachable[Index(edge.src)] != 0) fail("output missing", e);
      continue;
    }
    tally->derived += value >= plan.counter_count();
    const uint64_t truth = run.edge_count[e];
    const uint64_t got = values[value];
    const uint64_t error = got > truth ? got - truth : truth - got;
    tally->inexact_values += error != 0;
    if (run.imbalances == 0 && error != 0) fail("not exact though nothing was abrupt", e);
    if (error > run.imbalances) fail("beyond the sum of imbalances", e);
    if (bound.kind != Exactness::kUnknown && error > bound.k) fail("beyond k", e);
    if (bound.kind == Exactness::kExact && error != 0) fail("certified but wrong", e);
    if (touched[value] == 0 && error > run.live) fail("wrong, and untouched", e);
    if (arborescence && got < truth) fail("too small", e);
    if (plan.placement == PlacementPolicy::kDirect && error != 0) fail("direct is wrong", e);
  }
}

void CheckShape(const CountingGraph& graph, const ProbePlan& plan) {
  REQUIRE(IsWellFormed(plan.derivation));
  REQUIRE_FALSE(plan.probes.empty());
  if (plan.value_of_edge[Index(kEntryEdge)] < plan.counter_count()) {
    REQUIRE(plan.probes[0].edge == kEntryEdge);
    REQUIRE(plan.probes[0].at == ProbeAt::kMethodEntry);
  } else {
    // The sum of counters that are all incremented before anything else can happen.
    const uint32_t first = Index(graph.edge(kEntryEdge).dst);
    REQUIRE_FALSE(graph.node(NodeId{first}).may_throw);
    REQUIRE(graph.In(first).size() == 1);
    for (uint32_t e : graph.Out(first)) REQUIRE(plan.value_of_edge[e] < plan.counter_count());
  }
  // The slots of a switch that is counted by its key have consecutive counters.
  for (uint32_t e = 1; e < graph.edge_count(); ++e) {
    const CountingEdge& edge = graph.edge(EdgeId{e});
    const CountingEdge& before = graph.edge(EdgeId{e - 1});
    if (!edge.by_key || !before.by_key || edge.src != before.src) continue;
    if (plan.value_of_edge[e] == kNoValue) continue;
    REQUIRE(plan.value_of_edge[e] == plan.value_of_edge[e - 1] + 1);
    REQUIRE(plan.value_of_edge[e] < plan.counter_count());
  }
  const uint32_t unwind = plan.unwind_counter == kNoCounter ? 0 : 1;
  REQUIRE(plan.counter_count() == plan.probes.size() + unwind);
  for (const Probe& probe : plan.probes) {
    const CountingEdge& edge = graph.edge(probe.edge);
    const bool only_in = graph.In(Index(edge.dst)).size() == 1;
    const bool only_out = graph.Out(Index(edge.src)).size() == 1;
    // A place that other flow shares would count too much.
    if (probe.at == ProbeAt::kBlockHead) REQUIRE((only_in || edge.kind == EdgeKind::kInside));
    if (probe.at == ProbeAt::kBefore) REQUIRE(only_out);
    REQUIRE((probe.at == ProbeAt::kByKey) == edge.by_key);
    if (probe.at == ProbeAt::kTaken) REQUIRE_FALSE(only_in);
    if (probe.at == ProbeAt::kSlot) REQUIRE_FALSE(only_in);
  }
}

}  // namespace iprof::instrument
