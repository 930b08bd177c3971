// Tests the oracle itself: random methods and runs that agree, and a count that does not.
#include "agent/plan/self_check.h"

#include <catch2/catch.hpp>

namespace iprof::instrument {
namespace {

uint64_t NoLiveFrames(const MethodKey&) { return 0; }

TEST_CASE("methods that did not run, and counters that are not there, are not compared") {
  CountingGraph graph;
  const NodeId block = graph.AddNode(0);
  graph.AddEdge(EdgeKind::kEntry, kRoot, block);
  graph.AddEdge(EdgeKind::kReturn, block, kRoot);
  graph.Finish();
  ProbePlanner planner;
  ProbePlan every, tree;
  planner.Plan(graph, {.policy = PlacementPolicy::kEveryEdge}, &every);
  planner.Plan(graph, {.policy = PlacementPolicy::kTree}, &tree);
  SelfCheck check;
  check.Note(MethodKey(InternalName("A"), "f", "()V"), every, tree, {}, CounterIndex{0});
  check.Note(MethodKey(InternalName("A"), "g", "()V"), every, tree, {}, CounterIndex{1000});
  const SelfCheckResult result =
      check.Compare(std::vector<uint64_t>(every.counter_count(), 0), NoLiveFrames);
  CHECK(result.methods == 0);
  CHECK(result.counts == 0);
}

// An if-else that joins: node 1 -> 2 or 3 -> 4 -> out.
struct Diamond {
  CountingGraph graph;
  ProbePlan every, tree;

  Diamond() {
    const NodeId head = graph.AddNode(0), then = graph.AddNode(1), other = graph.AddNode(2),
                 join = graph.AddNode(3);
    graph.AddEdge(EdgeKind::kEntry, kRoot, head);
    graph.Require(graph.AddEdge(EdgeKind::kTaken, head, then, 0, 1));
    graph.Require(graph.AddEdge(EdgeKind::kNotTaken, head, other, 0));
    graph.AddEdge(EdgeKind::kJump, then, join, 1, 1);
    graph.AddEdge(EdgeKind::kFallThrough, other, join, 2);
    graph.AddEdge(EdgeKind::kReturn, join, kRoot, 3);
    graph.Finish();
    ProbePlanner planner;
    planner.Plan(graph, {.policy = PlacementPolicy::kEveryEdge}, &every);
    planner.Plan(graph, {.policy = PlacementPolicy::kTree}, &tree);
  }

  // Counters as kEveryEdge leaves them, from counts by edge.
  std::vector<uint64_t> Counters(const std::vector<uint64_t>& by_edge) const {
    std::vector<uint64_t> counters(every.counter_count(), 0);
    for (size_t i = 0; i < every.probes.size(); ++i)
      counters[i] = by_edge[Index(every.probes[i].edge)];
    return counters;
  }
};

TEST_CASE("what flows agrees, what does not is shown with the method's key") {
  const Diamond diamond;
  SelfCheck check;
  check.Note(MethodKey(InternalName("A"), "f", "(I)V"), diamond.every, diamond.tree, {{4, 1, 2}},
             CounterIndex{0});

  const SelfCheckResult good = check.Compare(diamond.Counters({10, 7, 3, 7, 3, 10}), NoLiveFrames);
  CHECK(good.methods == 1);
  CHECK(good.counts > 0);
  CHECK(good.equal == good.counts);
  CHECK(good.largest_error == 0);
  CHECK(good.increments == 10);  // the two ways; the entry is their sum

  // Four entries never reached the branch, and nothing in this method can throw.
  const SelfCheckResult bad = check.Compare(diamond.Counters({10, 3, 3, 3, 3, 6}), NoLiveFrames);
  CHECK(bad.beyond_bound > 0);
  CHECK(bad.largest_error == 4);
  REQUIRE_FALSE(bad.examples.empty());
  CHECK(bad.examples[0].find("A.f(I)V edge ") == 0);
  CHECK(bad.examples[0].find("k = 0") != std::string::npos);

  // Unless four of its frames are still live.
  const SelfCheckResult live =
      check.Compare(diamond.Counters({10, 3, 3, 3, 3, 6}), [](const MethodKey& key) {
        CHECK(key.text() == "A.f(I)V");
        return uint64_t{4};
      });
  CHECK(live.beyond_bound == 0);
  CHECK(live.within_bound == bad.beyond_bound);
}

// entry -> 1: a call that may throw, then an if -> 2 or 3 -> out; each side returns.
struct CallAndIf {
  CountingGraph graph;
  ProbePlan every, tree;

  CallAndIf() {
    const NodeId head = graph.AddNode(0), then = graph.AddNode(1), other = graph.AddNode(2);
    graph.node(head).may_throw = graph.node(head).calls = true;
    graph.Require(graph.AddEdge(EdgeKind::kEntry, kRoot, head));
    graph.Require(graph.AddEdge(EdgeKind::kTaken, head, then, 0, 1));
    graph.Require(graph.AddEdge(EdgeKind::kNotTaken, head, other, 0));
    graph.AddEdge(EdgeKind::kReturn, then, kRoot, 1);
    graph.AddEdge(EdgeKind::kReturn, other, kRoot, 2);
    graph.Finish();
    ProbePlanner planner;
    planner.Plan(graph, {.policy = PlacementPolicy::kTree}, &tree);
    planner.Plan(graph, {.policy = PlacementPolicy::kEveryEdge}, &every);
    REQUIRE(tree.unwind_counter != kNoCounter);
    every.unwind_counter = every.derivation.counter_count++;
  }

  std::vector<uint64_t> Counters(uint64_t thrown, uint64_t taken, uint64_t other) const {
    const uint64_t by_edge[] = {thrown + taken + other, taken, other, taken, other};
    std::vector<uint64_t> counters(every.counter_count(), 0);
    for (size_t i = 0; i < every.probes.size(); ++i)
      counters[i] = by_edge[Index(every.probes[i].edge)];
    counters[every.unwind_counter] = thrown;
    return counters;
  }
};

TEST_CASE(
    "branches: what many exceptions may have moved is left out, what few did is within a point") {
  const CallAndIf method;
  SelfCheck check;
  check.Note(MethodKey(InternalName("A"), "f", "()V"), method.every, method.tree, {{7, 1, 2}},
             CounterIndex{0});
  const SelfCheckResult few = check.Compare(method.Counters(10, 1490, 500), NoLiveFrames);
  CHECK(few.within_bound > 0);
  CHECK(few.branches.compared == 1);
  CHECK(few.branches.left_out == 0);
  CHECK(few.branches.off == 0);
  CHECK(few.branches.largest_points > 0);
  const SelfCheckResult many = check.Compare(method.Counters(1000, 1000, 0), NoLiveFrames);
  CHECK(many.branches.compared == 0);
  CHECK(many.branches.left_out == 1);
  CHECK(many.branches.inverted == 0);
}

}  // namespace
}  // namespace iprof::instrument
