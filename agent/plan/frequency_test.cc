#include "agent/plan/frequency.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "agent/plan/random_method.h"

namespace iprof::instrument {
namespace {

struct Builder {
  CountingGraph graph;
  explicit Builder(uint32_t blocks) {
    for (uint32_t b = 0; b < blocks; ++b) graph.AddNode(2 * b);
    graph.AddEdge(EdgeKind::kEntry, kRoot, NodeId{1});
  }
  uint32_t Edge(EdgeKind kind, uint32_t from, uint32_t to) {
    return Index(graph.AddEdge(kind, NodeId{from}, NodeId{to}));
  }
  FrequencyEstimate Compute() {
    graph.Finish();
    FrequencyEstimate f;
    f.Compute(graph);
    return f;
  }
};

TEST_CASE("nested loops: each multiplies") {
  // 1 outer header, 2 inner header, 3 inner body, 4 outer latch, 5 exit
  Builder b(5);
  b.Edge(EdgeKind::kNotTaken, 1, 2);
  b.Edge(EdgeKind::kTaken, 1, 5);
  b.Edge(EdgeKind::kNotTaken, 2, 3);
  b.Edge(EdgeKind::kTaken, 2, 4);
  b.Edge(EdgeKind::kJump, 3, 2);
  b.Edge(EdgeKind::kJump, 4, 1);
  b.Edge(EdgeKind::kReturn, 5, 0);
  const FrequencyEstimate f = b.Compute();
  REQUIRE(f.node_frequency()[1] == Approx(4));
  REQUIRE(f.node_frequency()[2] == Approx(4 * 3.0 / 4 * 4));
  REQUIRE(f.node_frequency()[5] == Approx(1));
  const std::vector<uint32_t> depths = {f.LoopDepth(1), f.LoopDepth(2), f.LoopDepth(3),
                                        f.LoopDepth(4), f.LoopDepth(5)};
  REQUIRE(depths == std::vector<uint32_t>{1, 2, 2, 1, 0});
}

TEST_CASE("an irreducible loop is a loop") {
  // 1 branches to both halves of the cycle 2 <-> 3; 3 leaves it.
  Builder b(4);
  b.Edge(EdgeKind::kNotTaken, 1, 2);
  b.Edge(EdgeKind::kTaken, 1, 3);
  b.Edge(EdgeKind::kJump, 2, 3);
  b.Edge(EdgeKind::kTaken, 3, 2);
  b.Edge(EdgeKind::kNotTaken, 3, 4);
  b.Edge(EdgeKind::kReturn, 4, 0);
  const FrequencyEstimate f = b.Compute();
  REQUIRE(f.LoopDepth(2) == 1);
  REQUIRE(f.LoopDepth(3) == 1);
  REQUIRE(f.LoopDepth(4) == 0);
  REQUIRE(f.node_frequency()[3] > f.node_frequency()[1]);
}

TEST_CASE("a try inside a loop leaves the loop one loop") {
  // 1 header, 2 try body, 3 handler, 4 merge -> header, 5 exit
  Builder b(5);
  b.Edge(EdgeKind::kHandler, 0, 3);
  b.Edge(EdgeKind::kNotTaken, 1, 2);
  b.Edge(EdgeKind::kTaken, 1, 5);
  b.Edge(EdgeKind::kJump, 2, 4);
  b.Edge(EdgeKind::kFallThrough, 3, 4);
  b.Edge(EdgeKind::kJump, 4, 1);
  b.Edge(EdgeKind::kReturn, 5, 0);
  b.graph.AddHandlerRange({NodeId{2}, NodeId{3}, NodeId{3}});
  const FrequencyEstimate f = b.Compute();
  REQUIRE(f.LoopDepth(4) == 1);
  REQUIRE(f.LoopDepth(3) == 1);
  REQUIRE(f.LoopDepth(5) == 0);
  REQUIRE(f.edge_frequency()[1] == Approx(3.0 / 512));  // the handler's entry
}

TEST_CASE("what ends in a throw is cold, also from afar; hints tip a branch") {
  // 1 if -> 2 -> 3 throws; else 4 if (hinted) -> 5, 6
  Builder b(6);
  const uint32_t to_throw = b.Edge(EdgeKind::kTaken, 1, 2);
  const uint32_t to_rest = b.Edge(EdgeKind::kNotTaken, 1, 4);
  b.Edge(EdgeKind::kJump, 2, 3);
  b.Edge(EdgeKind::kThrow, 3, 0);
  b.graph.node(NodeId{3}).cold = true;
  const uint32_t likely = b.Edge(EdgeKind::kTaken, 4, 5);
  const uint32_t unlikely = b.Edge(EdgeKind::kNotTaken, 4, 6);
  b.graph.edge(EdgeId{likely}).odds = 5;
  b.graph.edge(EdgeId{unlikely}).odds = 3;
  b.Edge(EdgeKind::kReturn, 5, 0);
  b.Edge(EdgeKind::kReturn, 6, 0);
  const FrequencyEstimate f = b.Compute();
  REQUIRE(f.edge_frequency()[to_throw] == Approx(1.0 / 513));
  REQUIRE(f.edge_frequency()[to_rest] == Approx(512.0 / 513));
  REQUIRE(f.edge_frequency()[likely] / f.edge_frequency()[unlikely] == Approx(5.0 / 3));
}

TEST_CASE("known ways have their shares, and a loop as many trips as they say") {
  // 1 header, 2 if in the loop -> 3, 4 -> 1; 5 exit
  Builder b(5);
  const uint32_t into = b.Edge(EdgeKind::kNotTaken, 1, 2);
  const uint32_t leave = b.Edge(EdgeKind::kTaken, 1, 5);
  const uint32_t taken = b.Edge(EdgeKind::kTaken, 2, 3);
  const uint32_t other = b.Edge(EdgeKind::kNotTaken, 2, 4);
  b.Edge(EdgeKind::kJump, 3, 1);
  b.Edge(EdgeKind::kJump, 4, 1);
  b.Edge(EdgeKind::kReturn, 5, 0);
  b.graph.Finish();
  std::vector<double> known(b.graph.edge_count(), -1);
  known[into] = 990;  // ten calls
  known[leave] = 10;
  FrequencyEstimate f;
  f.Compute(b.graph, known);
  CHECK(f.edge_frequency()[into] == Approx(99));
  CHECK(f.edge_frequency()[leave] == Approx(1));
  CHECK(f.edge_frequency()[taken] == Approx(f.edge_frequency()[other]));  // nothing is known
  known[taken] = 0;
  known[other] = 990;
  f.Compute(b.graph, known);
  CHECK(f.edge_frequency()[other] == Approx(99).epsilon(1e-3));
  CHECK(f.edge_frequency()[taken] == Approx(99 * FrequencyEstimate::kLeastShare).epsilon(1e-3));
  // A branch that never ran says nothing.
  known[taken] = known[other] = 0;
  f.Compute(b.graph, known);
  CHECK(f.edge_frequency()[taken] == Approx(f.edge_frequency()[other]));
}

TEST_CASE("a loop that nothing leaves has many trips, not infinitely many") {
  Builder b(2);
  b.Edge(EdgeKind::kJump, 1, 2);
  const uint32_t back = b.Edge(EdgeKind::kJump, 2, 2);
  const FrequencyEstimate f = b.Compute();
  CHECK(f.edge_frequency()[back] == Approx(FrequencyEstimate::kMostTrips));
}

TEST_CASE("random methods with known ways: frequencies are finite, and all of a block flows on") {
  std::mt19937 random(31);
  CountingGraph graph;
  FrequencyEstimate f;
  std::vector<double> known;
  for (int i = 0; i < 5'000; ++i) {
    MakeRandomMethod(random, {.max_blocks = 30}, &graph);
    known.assign(graph.edge_count(), -1);
    for (uint32_t v = 1; v < graph.node_count(); ++v) {
      if (random() % 2 == 0) continue;
      for (const uint32_t e : graph.Out(v)) known[e] = static_cast<double>(random() % 100);
    }
    f.Compute(graph, known);
    for (uint32_t v = 1; v < graph.node_count(); ++v) {
      double out = 0;
      for (const uint32_t e : graph.Out(v)) out += f.edge_frequency()[e];
      CAPTURE(i, v);
      REQUIRE(std::isfinite(out));
      if (f.Reachable(v) && !graph.Out(v).empty())
        REQUIRE(out == Approx(f.node_frequency()[v]).epsilon(1e-3));
    }
  }
}

TEST_CASE("random methods: frequencies are finite, positive where reachable, 0 elsewhere") {
  std::mt19937 random(29);
  CountingGraph graph;
  FrequencyEstimate f;
  for (int i = 0; i < 20'000; ++i) {
    MakeRandomMethod(random, {.max_blocks = 40}, &graph);
    f.Compute(graph);
    for (uint32_t e = 0; e < graph.edge_count(); ++e) {
      const double x = f.edge_frequency()[e];
      CAPTURE(i, e, x);
      REQUIRE(std::isfinite(x));
      REQUIRE((x > 0) == f.Reachable(Index(graph.edge(EdgeId{e}).src)));
    }
  }
}

}  // namespace
}  // namespace iprof::instrument
