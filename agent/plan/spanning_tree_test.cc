#include "agent/plan/spanning_tree.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "agent/plan/frequency.h"
#include "agent/plan/random_method.h"

namespace iprof::instrument {
namespace {

struct Case {
  CountingGraph graph;
  std::vector<double> weight;
  std::vector<uint8_t> live;
};

Case RandomCase(std::mt19937& random, uint32_t blocks, double caught = 0) {
  Case c;
  MakeRandomMethod(
      random,
      {.max_blocks = blocks, .caught_blocks = caught, .required_branches = 0, .required_blocks = 0},
      &c.graph);
  FrequencyEstimate frequency;
  frequency.Compute(c.graph);
  for (uint32_t v = 0; v < c.graph.node_count(); ++v) c.live.push_back(frequency.Reachable(v));
  for (const CountingEdge& e : c.graph.edges()) {
    const bool takes_part = e.src != kRoot && c.live[Index(e.src)] != 0;
    // Whole numbers, far apart, so that tie-breaking does not matter.
    c.weight.push_back(takes_part ? 1 + static_cast<double>(random() % 50) : -1);
  }
  return c;
}

// Tries every choice of one outgoing edge (or none: a fake exit) per block, and returns the best
// one without cycles: the fewest fake exits, then the highest weight.
std::pair<int, double> BestByTrial(const Case& c) {
  const uint32_t nodes = c.graph.node_count();
  std::vector<size_t> pick(nodes, 0);
  std::pair<int, double> best{1000, 0};
  for (;;) {
    int fakes = 0;
    double weight = 0;
    bool acyclic = true;
    for (uint32_t v = 1; v < nodes && acyclic; ++v) {
      if (c.live[v] == 0) continue;
      const auto out = c.graph.Out(v);
      if (pick[v] == out.size()) {
        ++fakes;
      } else {
        weight += c.weight[out[pick[v]]];
      }
      uint32_t at = v;
      for (uint32_t steps = 0; at != 0; ++steps) {
        if (steps > nodes) {
          acyclic = false;
          break;
        }
        const auto ways = c.graph.Out(at);
        at = pick[at] == ways.size() ? 0 : Index(c.graph.edge(EdgeId{ways[pick[at]]}).dst);
      }
    }
    if (acyclic && (fakes < best.first || (fakes == best.first && weight > best.second))) {
      best = {fakes, weight};
    }
    uint32_t v = 1;
    for (; v < nodes; ++v) {
      if (c.live[v] == 0) continue;
      if (++pick[v] <= c.graph.Out(v).size()) break;
      pick[v] = 0;
    }
    if (v == nodes) return best;
  }
}

TEST_CASE("the arborescence is the best of all") {
  std::mt19937 random(17);
  Arborescence arborescence;
  int with_fakes = 0;
  for (int i = 0; i < 3000; ++i) {
    const Case c = RandomCase(random, 5);
    double combinations = 1;
    for (uint32_t v = 1; v < c.graph.node_count(); ++v) {
      combinations *= static_cast<double>(c.graph.Out(v).size() + 1);
    }
    if (combinations > 3000) continue;
    std::vector<uint8_t> chosen(c.graph.edge_count()), fake(c.graph.node_count());
    arborescence.Choose(c.graph, c.weight, c.live, chosen, fake);
    int fakes = 0;
    double weight = 0;
    for (uint8_t f : fake) fakes += f;
    for (uint32_t e = 0; e < chosen.size(); ++e) weight += chosen[e] != 0 ? c.weight[e] : 0;
    const auto [best_fakes, best_weight] = BestByTrial(c);
    CAPTURE(i);
    REQUIRE(fakes == best_fakes);
    REQUIRE(weight == Approx(best_weight));
    with_fakes += fakes != 0;
  }
  REQUIRE(with_fakes > 50);
}

TEST_CASE("the arborescence leaves every block by one way, and every way ends at the root") {
  std::mt19937 random(19);
  Arborescence arborescence;
  for (int i = 0; i < 3000; ++i) {
    const Case c = RandomCase(random, 60, i % 2 == 0 ? 0 : 0.3);
    std::vector<uint8_t> chosen(c.graph.edge_count()), fake(c.graph.node_count());
    arborescence.Choose(c.graph, c.weight, c.live, chosen, fake);
    std::vector<uint32_t> next(c.graph.node_count(), UINT32_MAX);
    for (uint32_t e = 0; e < chosen.size(); ++e) {
      if (chosen[e] == 0) continue;
      const uint32_t src = Index(c.graph.edge(EdgeId{e}).src);
      REQUIRE(next[src] == UINT32_MAX);
      next[src] = Index(c.graph.edge(EdgeId{e}).dst);
    }
    for (uint32_t v = 1; v < next.size(); ++v) {
      if (c.live[v] == 0) continue;
      if (c.graph.node(NodeId{v}).caught) REQUIRE(fake[v] != 0);
      if (fake[v] != 0) {
        REQUIRE(next[v] == UINT32_MAX);
        continue;
      }
      uint32_t at = v;
      for (uint32_t steps = 0; at != 0 && fake[at] == 0; ++steps) {
        REQUIRE(steps < next.size());
        REQUIRE(next[at] != UINT32_MAX);
        at = next[at];
      }
    }
  }
}

TEST_CASE("the forest is without cycles and no counted edge outweighs one that it would replace") {
  std::mt19937 random(23);
  SpanningForest forest;
  for (int i = 0; i < 2000; ++i) {
    const Case c = RandomCase(random, 12, i % 2 == 0 ? 0 : 0.3);
    const auto with_caught = [&](DisjointSets* sets) {
      sets->Reset(c.graph.node_count());
      for (uint32_t v = 1; v < c.graph.node_count(); ++v) {
        if (c.graph.node(NodeId{v}).caught) sets->Attach(v, Index(kRoot));
      }
    };
    std::vector<uint8_t> chosen(c.graph.edge_count());
    forest.Choose(c.graph, c.weight, chosen);
    DisjointSets sets;
    with_caught(&sets);
    for (uint32_t e = 0; e < chosen.size(); ++e) {
      if (chosen[e] == 0) continue;
      const uint32_t a = sets.Find(Index(c.graph.edge(EdgeId{e}).src));
      const uint32_t b = sets.Find(Index(c.graph.edge(EdgeId{e}).dst));
      REQUIRE(a != b);
      sets.Attach(a, b);
    }
    for (uint32_t e = 0; e < chosen.size(); ++e) {
      if (chosen[e] != 0 || c.weight[e] < 0) continue;
      // Without the lighter edges of the forest, the ends of this one are still connected.
      DisjointSets heavy;
      with_caught(&heavy);
      for (uint32_t f = 0; f < chosen.size(); ++f) {
        if (chosen[f] == 0 || c.weight[f] < c.weight[e]) continue;
        const uint32_t a = heavy.Find(Index(c.graph.edge(EdgeId{f}).src));
        const uint32_t b = heavy.Find(Index(c.graph.edge(EdgeId{f}).dst));
        if (a != b) heavy.Attach(a, b);
      }
      CAPTURE(i, e);
      REQUIRE(heavy.Find(Index(c.graph.edge(EdgeId{e}).src)) ==
              heavy.Find(Index(c.graph.edge(EdgeId{e}).dst)));
    }
  }
}

}  // namespace
}  // namespace iprof::instrument
