// Compares placements with the truth: random methods, random runs, every policy.
#include "agent/plan/placement.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "agent/plan/placement_checks.h"
#include "agent/plan/random_method.h"

namespace iprof::instrument {
namespace {

// The number of undirected parts of the reachable graph without entry and handler edges, including
// the root's part. A spanning forest leaves nodes - parts edges uncounted.
uint32_t PartCount(const CountingGraph& graph, const std::vector<uint8_t>& reachable) {
  DisjointSets sets;
  sets.Reset(graph.node_count());
  uint32_t parts = 0;
  for (uint32_t v = 0; v < graph.node_count(); ++v) parts += reachable[v];
  for (const CountingEdge& e : graph.edges()) {
    if (e.src == kRoot || reachable[Index(e.src)] == 0) continue;
    const uint32_t a = sets.Find(Index(e.src));
    const uint32_t b = sets.Find(Index(e.dst));
    if (a == b) continue;
    sets.Attach(a, b);
    --parts;
  }
  return parts;
}

// Marks switches whose slots are all required, as MethodGraph does.
void CountSomeSwitchesByKey(std::mt19937& random, CountingGraph& graph) {
  for (uint32_t v = 1; v < graph.node_count(); ++v) {
    const auto out = graph.Out(v);
    const bool all = !out.empty() && std::all_of(out.begin(), out.end(), [&](uint32_t e) {
      const CountingEdge& edge = graph.edge(EdgeId{e});
      return edge.kind == EdgeKind::kSlot && edge.required;
    });
    if (!all || random() % 2 != 0) continue;
    for (uint32_t e : out) graph.edge(EdgeId{e}).by_key = true;
  }
}

TEST_CASE("random methods: derived counts are the truth, or within k") {
  std::mt19937 random(20240607);
  ProbePlanner planner;
  CountingGraph graph;
  ProbePlan plan;
  Tally tally;
  RandomShape shape;
  const int graphs = 100'000;
  for (int i = 0; i < graphs; ++i) {
    shape.max_blocks = i % 50 == 0 ? 60 : 3 + static_cast<uint32_t>(i % 14);
    shape.throwing_blocks = i % 4 == 0 ? 0 : 0.5;
    shape.required_branches = i % 3 == 0 ? 0.4 : 1;
    MakeRandomMethod(random, shape, &graph);
    if (i % 7 == 0) CountSomeSwitchesByKey(random, graph);
    const RandomRun wild = RunRandomly(random, graph, 20, 30, 0.1);
    for (PlacementPolicy policy : kPolicies) {
      PlanOptions options;
      options.policy = policy;
      options.count_unwinds = i % 5 != 0;
      options.close_unrequired = i % 6 >= 3;
      planner.Plan(graph, options, &plan);
      CheckShape(graph, plan);
      CheckRun(graph, plan, wild, &tally);
    }
  }
  CAPTURE(tally.plans, tally.derived, tally.clamps, tally.bounded, tally.inexact_values);
  // The interesting cases must have occurred.
  REQUIRE(tally.clamps > 1000);
  REQUIRE(tally.bounded > 10'000);
  REQUIRE(tally.inexact_values > 10'000);
  REQUIRE(tally.derived > 500'000);
}

TEST_CASE("random methods: runs that end regularly derive exactly") {
  std::mt19937 random(7);
  ProbePlanner planner;
  CountingGraph graph;
  ProbePlan plan;
  Tally tally;
  int regular = 0;
  for (int i = 0; i < 30'000; ++i) {
    const double required = i % 3 == 0 ? 0.3 : 1;
    MakeRandomMethod(random, {.max_blocks = 14, .required_branches = required}, &graph);
    const RandomRun run = RunRandomly(random, graph, 10, 2000, 0);
    if (run.imbalances != 0) continue;
    ++regular;
    for (PlacementPolicy policy : kPolicies) {
      planner.Plan(graph, {.policy = policy, .close_unrequired = i % 6 >= 3}, &plan);
      CheckRun(graph, plan, run, &tally);
    }
  }
  REQUIRE(regular > 10'000);
  REQUIRE(tally.inexact_values == 0);
  REQUIRE(tally.clamps == 0);
}

// Whether a reachable block cannot reach an exit.
bool Stuck(const CountingGraph& graph, const std::vector<uint8_t>& reachable) {
  std::vector<uint8_t> leaves(graph.node_count(), 0);
  leaves[Index(kRoot)] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (const CountingEdge& e : graph.edges()) {
      if (leaves[Index(e.dst)] == 0 || leaves[Index(e.src)] != 0) continue;
      leaves[Index(e.src)] = 1;
      changed = true;
    }
  }
  for (uint32_t v = 0; v < graph.node_count(); ++v) {
    if (reachable[v] != 0 && leaves[v] == 0) return true;
  }
  return false;
}

TEST_CASE("no derived placement has more counters than edges less nodes demand") {
  std::mt19937 random(11);
  ProbePlanner planner;
  CountingGraph graph;
  ProbePlan plan;
  for (int i = 0; i < 20'000; ++i) {
    MakeRandomMethod(random, {.max_blocks = 20, .caught_blocks = 0}, &graph);
    const std::vector<uint8_t> reachable = ReachableNodes(graph);
    uint32_t nodes = 0;
    uint32_t edges = 0;
    for (uint8_t r : reachable) nodes += r;
    for (const CountingEdge& e : graph.edges()) edges += reachable[Index(e.src)];
    const uint32_t least = edges - nodes + PartCount(graph, reachable);
    for (PlacementPolicy policy : {PlacementPolicy::kTree, PlacementPolicy::kArborescence}) {
      planner.Plan(graph, {.policy = policy, .count_unwinds = false}, &plan);
      // An endless loop without exit costs the arborescence one more counter.
      if (policy == PlacementPolicy::kArborescence && Stuck(graph, reachable)) continue;
      CAPTURE(i, static_cast<int>(policy), edges, nodes);
      REQUIRE(plan.probes.size() <= least);
    }
  }
}

TEST_CASE("closing up branches that are not asked for takes fewer counters") {
  std::mt19937 random(13);
  ProbePlanner planner;
  CountingGraph graph;
  ProbePlan whole;
  ProbePlan closed;
  size_t whole_sum = 0;
  size_t closed_sum = 0;
  for (int i = 0; i < 5'000; ++i) {
    MakeRandomMethod(random, {.max_blocks = 30, .required_branches = 0.3}, &graph);
    planner.Plan(graph, {.policy = PlacementPolicy::kTree}, &whole);
    planner.Plan(graph, {.policy = PlacementPolicy::kTree, .close_unrequired = true}, &closed);
    whole_sum += whole.probes.size();
    closed_sum += closed.probes.size();
  }
  CHECK(closed_sum * 10 < whole_sum * 9);
}

TEST_CASE("the same-run oracle: counters replayed from a run that counted every edge") {
  std::mt19937 random(13);
  ProbePlanner planner;
  CountingGraph graph;
  ProbePlan every, tree;
  std::vector<uint64_t> counters;
  for (int i = 0; i < 2'000; ++i) {
    MakeRandomMethod(random, {}, &graph);
    const RandomRun run = RunRandomly(random, graph, 10, 50, 0.05);
    planner.Plan(graph, {.policy = PlacementPolicy::kEveryEdge}, &every);
    planner.Plan(graph, {.policy = PlacementPolicy::kTree}, &tree);
    uint32_t clamps = 0;
    const std::vector<uint64_t> all = ValuesAfter(every, run, &clamps);
    ReplayCounters(every, all, tree, run.unwinds, &counters);
    const std::vector<uint64_t> own = ValuesAfter(tree, run, &clamps);
    REQUIRE(counters == std::vector<uint64_t>(own.begin(), own.begin() + tree.counter_count()));
  }
}

TEST_CASE("every shape of random graph occurs") {
  std::mt19937 random(3);
  CountingGraph graph;
  int self_loops = 0, parallel = 0, unreachable = 0, stuck = 0, handlers = 0, split = 0;
  for (int i = 0; i < 2'000; ++i) {
    MakeRandomMethod(random, {}, &graph);
    const std::vector<uint8_t> reachable = ReachableNodes(graph);
    bool exit = false;
    for (uint32_t e = 0; e < graph.edge_count(); ++e) {
      const CountingEdge& edge = graph.edge(EdgeId{e});
      self_loops += edge.src == edge.dst;
      handlers += edge.kind == EdgeKind::kHandler;
      split += edge.kind == EdgeKind::kInside;
      exit |= edge.dst == kRoot && reachable[Index(edge.src)] != 0;
      for (uint32_t f = e + 1; f < graph.edge_count(); ++f) {
        const CountingEdge& other = graph.edge(EdgeId{f});
        parallel += edge.src == other.src && edge.dst == other.dst;
      }
    }
    for (uint8_t r : reachable) unreachable += r == 0;
    stuck += !exit;
  }
  CAPTURE(self_loops, parallel, unreachable, stuck, handlers, split);
  REQUIRE(self_loops > 100);
  REQUIRE(parallel > 100);
  REQUIRE(unreachable > 100);
  REQUIRE(stuck > 50);
  REQUIRE(handlers > 100);
  REQUIRE(split > 100);
}

}  // namespace
}  // namespace iprof::instrument
