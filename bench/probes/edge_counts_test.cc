#include "bench/probes/edge_counts.h"

#include <catch2/catch.hpp>
#include <random>

#include "agent/plan/random_method.h"

namespace iprof::instrument {
namespace {

TEST_CASE("random methods: all edges follow from calls and branches if nothing is thrown") {
  std::mt19937 random(17);
  CountingGraph graph;
  int checked = 0;
  for (int i = 0; i < 3000; ++i) {
    MakeRandomMethod(random, {.max_blocks = 20}, &graph);
    const RandomRun run = RunRandomly(random, graph, 20, 500, 0);
    if (run.live > 0 || run.unwinds > 0 || run.imbalances > 0) continue;
    std::vector<double> counts(graph.edge_count(), -1);
    for (uint32_t v = 1; v < graph.node_count(); ++v) {
      if (graph.Out(v).size() < 2) continue;
      for (const uint32_t e : graph.Out(v)) counts[e] = static_cast<double>(run.edge_count[e]);
    }
    counts[Index(kEntryEdge)] = static_cast<double>(run.edge_count[Index(kEntryEdge)]);
    SpreadCounts(graph, 0, &counts);
    bool caught = false;  // handlers may be entered by an athrow, whose way is not an edge
    for (uint32_t e = 0; e < graph.edge_count(); ++e)
      caught |= graph.edge(EdgeId{e}).kind == EdgeKind::kHandler && run.edge_count[e] > 0;
    if (caught) continue;
    ++checked;
    for (uint32_t e = 0; e < graph.edge_count(); ++e) {
      CAPTURE(i, e);
      REQUIRE(counts[e] == static_cast<double>(run.edge_count[e]));
    }
  }
  REQUIRE(checked > 300);
}

TEST_CASE("an exception that ends in a handler is no way into it that is known") {
  // 1 -> 2 -> return, 3 is a handler that goes on to 2
  CountingGraph graph;
  for (uint32_t b = 0; b < 3; ++b) graph.AddNode(b);
  graph.AddEdge(EdgeKind::kEntry, kRoot, NodeId{1});
  const uint32_t handler = Index(graph.AddEdge(EdgeKind::kHandler, kRoot, NodeId{3}));
  const uint32_t through = Index(graph.AddEdge(EdgeKind::kFallThrough, NodeId{1}, NodeId{2}));
  const uint32_t rejoin = Index(graph.AddEdge(EdgeKind::kJump, NodeId{3}, NodeId{2}));
  const uint32_t back = Index(graph.AddEdge(EdgeKind::kReturn, NodeId{2}, kRoot));
  graph.Finish();
  std::vector<double> counts(graph.edge_count(), -1);
  SpreadCounts(graph, 7, &counts);
  CHECK(counts[through] == 7);
  CHECK(counts[handler] == 0);
  CHECK(counts[rejoin] == 0);
  CHECK(counts[back] == 7);
}

TEST_CASE("the entry is what the first branch says, not the calls that compilers replaced") {
  CountingGraph graph;
  for (uint32_t b = 0; b < 3; ++b) graph.AddNode(b);
  graph.AddEdge(EdgeKind::kEntry, kRoot, NodeId{1});
  const uint32_t taken = Index(graph.AddEdge(EdgeKind::kTaken, NodeId{1}, NodeId{2}));
  const uint32_t other = Index(graph.AddEdge(EdgeKind::kNotTaken, NodeId{1}, NodeId{3}));
  graph.AddEdge(EdgeKind::kReturn, NodeId{2}, kRoot);
  graph.AddEdge(EdgeKind::kReturn, NodeId{3}, kRoot);
  graph.Finish();
  std::vector<double> counts(graph.edge_count(), -1);
  counts[taken] = 3;
  counts[other] = 4;
  SpreadCounts(graph, 1000, &counts);
  CHECK(counts[Index(kEntryEdge)] == 7);
}

}  // namespace
}  // namespace iprof::instrument
