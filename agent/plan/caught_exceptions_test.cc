// Which blocks are marked as left by caught exceptions, and what that is good for.
#include "agent/plan/caught_exceptions.h"

#include <catch2/catch.hpp>

#include "agent/plan/placement.h"

namespace iprof::instrument {
namespace {

// A lookup that fails each time:
//
//   1: if (x = cache()) return       // 1 -> 5 (taken), 1 -> 2
//   2: x = find(); if (trace) print  // 2 -> 3 (taken), 2 -> 4
//   3: print                         // 3 -> 4
//   4: return x
//   5: return x
//   6: catch: continues at 7, or throws
//   7: return null
struct LookUp {
  CountingGraph graph;
  NodeId cache, find, handler;
  EdgeId cached, missed, traced, silent;

  LookUp(bool handler_throws, bool calls_only) {
    cache = graph.AddNode(0);
    find = graph.AddNode(2);
    const NodeId print = graph.AddNode(4), found = graph.AddNode(6), hit = graph.AddNode(8);
    handler = graph.AddNode(10);
    const NodeId none = graph.AddNode(12);
    for (NodeId v : {cache, find, print}) graph.node(v).may_throw = graph.node(v).calls = true;
    graph.Require(graph.AddEdge(EdgeKind::kEntry, kRoot, cache));
    graph.AddEdge(EdgeKind::kHandler, kRoot, handler, 10);
    cached = graph.AddEdge(EdgeKind::kTaken, cache, hit, 1);
    missed = graph.AddEdge(EdgeKind::kNotTaken, cache, find, 1);
    traced = graph.AddEdge(EdgeKind::kTaken, find, print, 3);
    silent = graph.AddEdge(EdgeKind::kNotTaken, find, found, 3);
    graph.AddEdge(EdgeKind::kFallThrough, print, found, 5);
    graph.AddEdge(EdgeKind::kReturn, found, kRoot, 7);
    graph.AddEdge(EdgeKind::kReturn, hit, kRoot, 9);
    if (handler_throws) {
      graph.AddEdge(EdgeKind::kThrow, handler, kRoot, 11);
    } else {
      graph.AddEdge(EdgeKind::kJump, handler, none, 11);
    }
    graph.AddEdge(EdgeKind::kReturn, none, kRoot, 13);
    for (EdgeId e : {cached, missed, traced, silent}) graph.Require(e);
    graph.AddHandlerRange({cache, NodeId{Index(found)}, handler, calls_only});
    graph.Finish();
    CaughtExceptions().Mark(graph);
  }
};

// The plan's counters after `calls` calls in all of which find() throws.
std::vector<uint64_t> AfterVainCalls(const LookUp& m, const ProbePlan& plan, uint64_t calls,
                                     uint64_t unwinds) {
  std::vector<uint64_t> values(plan.derivation.value_count());
  for (size_t i = 0; i < plan.probes.size(); ++i) {
    const CountingEdge& edge = m.graph.edge(plan.probes[i].edge);
    const bool ran = plan.probes[i].edge == kEntryEdge || plan.probes[i].edge == m.missed ||
                     edge.src == m.handler || edge.dst == m.handler;
    values[i] = ran ? calls : 0;
  }
  if (plan.unwind_counter != kNoCounter) values[plan.unwind_counter] = unwinds;
  Derive(plan.derivation, values);
  return values;
}

TEST_CASE("a handler that goes on: nothing is derived across what it protects") {
  const LookUp m(false, true);
  CHECK(m.graph.node(m.cache).caught);
  CHECK(m.graph.node(m.find).caught);
  CHECK_FALSE(m.graph.node(m.handler).caught);
  for (PlacementPolicy policy :
       {PlacementPolicy::kAutomatic, PlacementPolicy::kTree, PlacementPolicy::kArborescence}) {
    CAPTURE(static_cast<int>(policy));
    ProbePlanner planner;
    ProbePlan plan;
    planner.Plan(m.graph, {.policy = policy}, &plan);
    const std::vector<uint64_t> values = AfterVainCalls(m, plan, 534, 0);
    CHECK(values[plan.value_of_edge[Index(m.cached)]] == 0);
    CHECK(values[plan.value_of_edge[Index(m.missed)]] == 534);
    CHECK(values[plan.value_of_edge[Index(m.traced)]] == 0);
    CHECK(values[plan.value_of_edge[Index(m.silent)]] == 0);
    // And the certificate knows it: these exceptions do not add to k.
    CHECK(BoundOf(plan.certificate, values, 0).k == 0);
  }
}

TEST_CASE("a handler that only throws: counts are derived, k says by how much they may be off") {
  const LookUp m(true, true);
  CHECK_FALSE(m.graph.node(m.cache).caught);
  CHECK_FALSE(m.graph.node(m.find).caught);
  ProbePlanner planner;
  ProbePlan plan;
  planner.Plan(m.graph, {.policy = PlacementPolicy::kTree}, &plan);
  REQUIRE(plan.unwind_counter != kNoCounter);
  const std::vector<uint64_t> values = AfterVainCalls(m, plan, 534, 534);
  // Each call was caught, rethrown and unwound: one imbalance.
  CHECK(BoundOf(plan.certificate, values, 0).k == 534);
  std::vector<uint8_t> touched(plan.derivation.value_count());
  FindTouched(plan.derivation, plan.certificate, touched);
  for (EdgeId e : {m.cached, m.missed, m.traced, m.silent}) {
    const ValueId value = plan.value_of_edge[Index(e)];
    const uint64_t truth = e == m.missed ? 534 : 0;
    CAPTURE(Index(e));
    CHECK((values[value] == truth || touched[value] != 0));
    CHECK((touched[value] == 0 || !SharesHold(534, 534)));
  }
}

TEST_CASE("what instructions throw goes only to handlers that may catch it") {
  for (bool calls_only : {false, true}) {
    LookUp m(false, calls_only);
    for (NodeId v : {m.cache, m.find}) {
      m.graph.node(v).calls = false;
      m.graph.node(v).caught = false;
    }
    CaughtExceptions().Mark(m.graph);
    CHECK(m.graph.node(m.find).caught == !calls_only);
  }
}

TEST_CASE("a handler in an endless loop goes on") {
  // 1: call; goto 1. 2: catch; goto 1.
  CountingGraph graph;
  const NodeId body = graph.AddNode(0), handler = graph.AddNode(2);
  graph.node(body).may_throw = graph.node(body).calls = true;
  graph.AddEdge(EdgeKind::kEntry, kRoot, body);
  graph.AddEdge(EdgeKind::kHandler, kRoot, handler, 2);
  graph.AddEdge(EdgeKind::kJump, body, body, 1);
  graph.AddEdge(EdgeKind::kJump, handler, body, 3);
  graph.AddHandlerRange({body, handler, handler});
  graph.Finish();
  CaughtExceptions().Mark(graph);
  CHECK(graph.node(body).caught);
}

}  // namespace
}  // namespace iprof::instrument
