// Placements of methods that are small enough to know the best plan by hand.
#include <algorithm>
#include <catch2/catch.hpp>

#include "agent/plan/placement.h"
#include "agent/plan/placement_checks.h"
#include "agent/plan/random_method.h"

namespace iprof::instrument {
namespace {

struct Loop {
  CountingGraph graph;
  NodeId header, body, exit;
  EdgeId leave, stay, back;
};

// for (...) { body }: the header tests, and leaves to the exit or enters the body, which jumps
// back.
Loop MakeLoop(bool throws) {
  Loop l;
  l.header = l.graph.AddNode(0);
  l.body = l.graph.AddNode(2);
  l.exit = l.graph.AddNode(4);
  l.graph.node(l.body).may_throw = throws;
  l.graph.AddEdge(EdgeKind::kEntry, kRoot, l.header);
  l.leave = l.graph.AddEdge(EdgeKind::kTaken, l.header, l.exit, 1);
  l.stay = l.graph.AddEdge(EdgeKind::kNotTaken, l.header, l.body, 1);
  l.back = l.graph.AddEdge(EdgeKind::kJump, l.body, l.header, 3);
  l.graph.AddEdge(EdgeKind::kReturn, l.exit, kRoot, 5);
  l.graph.Require(EdgeId{0});
  l.graph.Require(l.leave);
  l.graph.Require(l.stay);
  l.graph.Finish();
  return l;
}

TEST_CASE("a loop: two counters, one of them per iteration") {
  for (bool throws : {false, true}) {
    Loop l = MakeLoop(throws);
    ProbePlanner planner;
    ProbePlan plan;
    planner.Plan(l.graph, {}, &plan);
    CAPTURE(throws);
    REQUIRE(plan.probes.size() == 2);
    // The required edge is measured, not the back edge, which an exception could prevent.
    REQUIRE(plan.probes[1].edge == l.stay);
    REQUIRE(plan.probes[1].at == ProbeAt::kAfter);
    REQUIRE(planner.frequency().LoopDepth(Index(l.body)) == 1);
    REQUIRE(planner.frequency().LoopDepth(Index(l.exit)) == 0);
  }
}

TEST_CASE("a method without branches has its entry counter only") {
  CountingGraph graph;
  const NodeId block = graph.AddNode(0);
  graph.node(block).may_throw = true;
  graph.Require(graph.AddEdge(EdgeKind::kEntry, kRoot, block));
  graph.AddEdge(EdgeKind::kReturn, block, kRoot, 1);
  graph.Finish();
  ProbePlanner planner;
  ProbePlan plan;
  for (PlacementPolicy policy : kPolicies) {
    planner.Plan(graph, {.policy = policy}, &plan);
    REQUIRE(plan.probes.size() == 1);
    REQUIRE(plan.unwind_counter == kNoCounter);
    REQUIRE(plan.derivation.step_end.empty());
    REQUIRE(plan.certificate.kind == Exactness::kExact);
    REQUIRE_FALSE(plan.certificate.live_frames_matter);
  }
}

TEST_CASE("a handler that no output rests on is not counted; one that a branch rests on is") {
  for (bool branch_after : {false, true}) {
    // 1: try body, 2: handler, 3: merge (with or without a branch), 4 and 5: its ends.
    CountingGraph graph;
    const NodeId body = graph.AddNode(0), handler = graph.AddNode(2), merge = graph.AddNode(4);
    const NodeId a = graph.AddNode(6), b = graph.AddNode(8);
    graph.node(body).may_throw = true;
    graph.Require(graph.AddEdge(EdgeKind::kEntry, kRoot, body));
    const EdgeId caught = graph.AddEdge(EdgeKind::kHandler, kRoot, handler, 2);
    graph.AddEdge(EdgeKind::kJump, body, merge, 1);
    graph.AddEdge(EdgeKind::kFallThrough, handler, merge, 3);
    if (branch_after) {
      graph.Require(graph.AddEdge(EdgeKind::kTaken, merge, b, 5));
      graph.Require(graph.AddEdge(EdgeKind::kNotTaken, merge, a, 5));
      graph.AddEdge(EdgeKind::kReturn, a, kRoot, 7);
      graph.AddEdge(EdgeKind::kReturn, b, kRoot, 9);
    } else {
      graph.AddEdge(EdgeKind::kReturn, merge, kRoot, 5);
    }
    graph.AddHandlerRange({body, handler, handler});
    graph.Finish();
    ProbePlanner planner;
    ProbePlan plan;
    planner.Plan(graph, {}, &plan);
    CAPTURE(branch_after);
    REQUIRE((plan.value_of_edge[Index(caught)] != kNoValue) == branch_after);
    REQUIRE(plan.probes.size() == (branch_after ? 3u : 1u));
  }
}

TEST_CASE("an if-else in a loop: the tree counts once an iteration, the arborescence more") {
  // 1: header if, 2 and 3: its sides, 4: merge with the loop branch, 5: exit
  CountingGraph graph;
  const NodeId head = graph.AddNode(0), left = graph.AddNode(2), right = graph.AddNode(4);
  const NodeId merge = graph.AddNode(6), exit = graph.AddNode(8);
  graph.node(left).may_throw = true;
  graph.node(right).may_throw = true;
  graph.node(merge).may_throw = true;
  graph.Require(graph.AddEdge(EdgeKind::kEntry, kRoot, head));
  graph.Require(graph.AddEdge(EdgeKind::kTaken, head, right, 1));
  graph.Require(graph.AddEdge(EdgeKind::kNotTaken, head, left, 1));
  graph.AddEdge(EdgeKind::kJump, left, merge, 3);
  graph.AddEdge(EdgeKind::kFallThrough, right, merge, 5);
  graph.Require(graph.AddEdge(EdgeKind::kTaken, merge, head, 7));
  graph.Require(graph.AddEdge(EdgeKind::kNotTaken, merge, exit, 7));
  graph.AddEdge(EdgeKind::kReturn, exit, kRoot, 9);
  graph.Finish();
  ProbePlanner planner;
  ProbePlan tree, arborescence, automatic;
  planner.Plan(graph, {.policy = PlacementPolicy::kTree}, &tree);
  planner.Plan(graph, {.policy = PlacementPolicy::kArborescence}, &arborescence);
  planner.Plan(graph, {}, &automatic);
  REQUIRE(tree.probes.size() == 3);
  REQUIRE(arborescence.probes.size() == 3);
  const double iterations = planner.frequency().node_frequency()[Index(head)];
  REQUIRE(tree.cost == Approx(1 + iterations));
  REQUIRE(arborescence.cost > 1 + 1.3 * iterations);
  REQUIRE(automatic.placement == PlacementPolicy::kTree);
}

TEST_CASE("a shared switch target: each key has its own count") {
  for (PlacementPolicy policy : kPolicies) {
    CountingGraph graph;
    const NodeId head = graph.AddNode(0), shared = graph.AddNode(2), other = graph.AddNode(4);
    graph.Require(graph.AddEdge(EdgeKind::kEntry, kRoot, head));
    EdgeId slots[4];
    const NodeId targets[4] = {shared, other, shared, other};
    for (uint32_t i = 0; i < 4; ++i) {
      slots[i] = graph.AddEdge(EdgeKind::kSlot, head, targets[i], 1, i);
      graph.Require(slots[i]);
    }
    graph.AddEdge(EdgeKind::kReturn, shared, kRoot, 3);
    graph.AddEdge(EdgeKind::kReturn, other, kRoot, 5);
    graph.Finish();
    ProbePlanner planner;
    ProbePlan plan;
    planner.Plan(graph, {.policy = policy}, &plan);
    RandomRun run;
    run.edge_count = {100, 10, 20, 30, 40, 40, 60};
    uint32_t clamps = 0;
    const std::vector<uint64_t> values = ValuesAfter(plan, run, &clamps);
    for (uint32_t i = 0; i < 4; ++i) {
      CAPTURE(static_cast<int>(policy), i);
      REQUIRE(values[plan.value_of_edge[Index(slots[i])]] == 10 * (i + 1));
    }
    REQUIRE(plan.probes.size() == (policy == PlacementPolicy::kDirect ? 5u : 4u));
  }
}

TEST_CASE("a long chain of nested loops is planned without recursion") {
  // Each block branches back to its mirror image: 20,000 nested loops.
  CountingGraph graph;
  const uint32_t blocks = 40'000;
  for (uint32_t b = 0; b < blocks; ++b) graph.AddNode(2 * b);
  graph.Require(graph.AddEdge(EdgeKind::kEntry, kRoot, NodeId{1}));
  for (uint32_t b = 1; b < blocks; ++b) {
    if (b > blocks / 2) {
      graph.Require(graph.AddEdge(EdgeKind::kTaken, NodeId{b}, NodeId{blocks - b + 1}, 2 * b));
      graph.Require(graph.AddEdge(EdgeKind::kNotTaken, NodeId{b}, NodeId{b + 1}, 2 * b));
    } else {
      graph.AddEdge(EdgeKind::kFallThrough, NodeId{b}, NodeId{b + 1}, 2 * b);
    }
    graph.node(NodeId{b}).may_throw = true;
  }
  graph.AddEdge(EdgeKind::kReturn, NodeId{blocks}, kRoot, 2 * blocks);
  graph.Finish();
  ProbePlanner planner;
  ProbePlan plan;
  for (PlacementPolicy policy : kPolicies) {
    planner.Plan(graph, {.policy = policy}, &plan);
    REQUIRE(plan.probes.size() >= blocks / 2);
  }
  REQUIRE(planner.frequency().LoopDepth(blocks / 2) == blocks / 2 - 1);
}

}  // namespace
}  // namespace iprof::instrument
