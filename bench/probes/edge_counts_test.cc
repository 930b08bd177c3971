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

// A method of three blocks, 1 to 3, with these edges from one block to another.
struct Edge {
  EdgeKind kind;
  uint32_t from, to;
};

std::vector<double> Spread(const std::vector<Edge>& edges, double entry,
                           std::vector<double> counts) {
  CountingGraph graph;
  for (uint32_t b = 0; b < 3; ++b) graph.AddNode(b);
  for (const Edge& edge : edges) graph.AddEdge(edge.kind, NodeId{edge.from}, NodeId{edge.to});
  graph.Finish();
  SpreadCounts(graph, entry, &counts);
  return counts;
}

TEST_CASE("an exception that ends in a handler is no way into it that is known") {
  const std::vector<Edge> edges = {{EdgeKind::kEntry, 0, 1},
                                   {EdgeKind::kHandler, 0, 3},
                                   {EdgeKind::kFallThrough, 1, 2},
                                   {EdgeKind::kJump, 3, 2},
                                   {EdgeKind::kReturn, 2, 0}};
  CHECK(Spread(edges, 7, {-1, -1, -1, -1, -1}) == std::vector<double>{7, 0, 7, 0, 7});
}

TEST_CASE("the entry is what the first branch says, not the calls that compilers replaced") {
  const std::vector<Edge> edges = {{EdgeKind::kEntry, 0, 1},
                                   {EdgeKind::kTaken, 1, 2},
                                   {EdgeKind::kNotTaken, 1, 3},
                                   {EdgeKind::kReturn, 2, 0},
                                   {EdgeKind::kReturn, 3, 0}};
  CHECK(Spread(edges, 1000, {-1, 3, 4, -1, -1}) == std::vector<double>{7, 3, 4, 3, 4});
}

}  // namespace
}  // namespace iprof::instrument
