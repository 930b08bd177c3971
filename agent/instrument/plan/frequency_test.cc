#include "agent/instrument/plan/frequency.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "agent/instrument/plan/random_method.h"

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
  REQUIRE(f.node_frequency()[1] == Approx(8));
  REQUIRE(f.node_frequency()[2] == Approx(8 * 7.0 / 8 * 8));
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
  REQUIRE(f.edge_frequency()[1] == Approx(7.0 / 64));  // the handler's entry
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
  b.graph.edge(EdgeId{likely}).hint = EdgeHint::kLikely;
  b.graph.edge(EdgeId{unlikely}).hint = EdgeHint::kUnlikely;
  b.Edge(EdgeKind::kReturn, 5, 0);
  b.Edge(EdgeKind::kReturn, 6, 0);
  const FrequencyEstimate f = b.Compute();
  REQUIRE(f.edge_frequency()[to_throw] == Approx(1.0 / 65));
  REQUIRE(f.edge_frequency()[to_rest] == Approx(64.0 / 65));
  REQUIRE(f.edge_frequency()[likely] / f.edge_frequency()[unlikely] == Approx(5.0 / 3));
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
