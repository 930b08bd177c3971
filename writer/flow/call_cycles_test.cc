#include "writer/flow/call_cycles.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace iprof {
namespace {

std::vector<uint32_t> Nodes(const CallCycles& cycles, size_t group) {
  const auto nodes = cycles.NodesOf(group);
  return {nodes.begin(), nodes.end()};
}

TEST_CASE("methods that call each other in circles are a group, after their callers") {
  //  0 -> 1 <-> 2 -> 3
  const CallCycles cycles(4, {{2, 3, 5}, {2, 1, 4}, {1, 2, 3}, {0, 1, 2}});
  REQUIRE(cycles.size() == 3);
  CHECK(Nodes(cycles, 0) == std::vector<uint32_t>{0});
  CHECK(Nodes(cycles, 1) == std::vector<uint32_t>{1, 2});
  CHECK(Nodes(cycles, 2) == std::vector<uint32_t>{3});
  CHECK(cycles.InnerEdgesOf(0).empty());
  const auto inner = cycles.InnerEdgesOf(1);
  REQUIRE(inner.size() == 2);
  CHECK(inner[0].from == 0);
  CHECK(inner[0].to == 1);
  CHECK(inner[0].gain == 3);
  CHECK(inner[1].from == 1);
  CHECK(inner[1].to == 0);
  CHECK(inner[1].gain == 4);
  const auto outer = cycles.OuterEdgesOf(2);
  REQUIRE(outer.size() == 1);
  CHECK(outer[0].to == 3);
  CHECK(cycles.OuterEdgesOf(1).empty());
}

TEST_CASE("a method that calls itself is a group with an inner edge") {
  const CallCycles cycles(1, {{0, 0, 0.5}});
  REQUIRE(cycles.size() == 1);
  CHECK(cycles.InnerEdgesOf(0).size() == 1);
  CHECK(cycles.OuterEdgesOf(0).empty());
}

TEST_CASE("methods without edges have no groups") {
  CHECK(CallCycles(0, {}).size() == 0);
  CHECK(CallCycles(3, {}).size() == 0);
  const CallCycles cycles(4, {{3, 1, 1}});
  REQUIRE(cycles.size() == 2);
  CHECK(Nodes(cycles, 0) == std::vector<uint32_t>{3});
  CHECK(Nodes(cycles, 1) == std::vector<uint32_t>{1});
}

// The independent answer: two nodes are in one group if each reaches the other.
TEST_CASE("groups are what reaches each other, and edges lead to later groups") {
  std::mt19937 random(3);
  for (int run = 0; run < 200; ++run) {
    const auto nodes = static_cast<uint32_t>(1 + random() % 15);
    std::vector<FlowEdge> edges;
    std::vector<std::vector<bool>> reaches(nodes, std::vector<bool>(nodes));
    for (uint32_t e = 0; e < random() % (2 * nodes); ++e) {
      edges.push_back({static_cast<uint32_t>(random() % nodes),
                       static_cast<uint32_t>(random() % nodes), 1.0 + e});
      reaches[edges.back().from][edges.back().to] = true;
    }
    for (uint32_t over = 0; over < nodes; ++over) {
      for (uint32_t a = 0; a < nodes; ++a) {
        for (uint32_t b = 0; b < nodes; ++b) {
          if (reaches[a][over] && reaches[over][b]) reaches[a][b] = true;
        }
      }
    }
    const CallCycles cycles(nodes, edges);
    std::vector<size_t> group_of(nodes, SIZE_MAX);
    size_t found_edges = 0;
    for (size_t group = 0; group < cycles.size(); ++group) {
      for (const uint32_t node : cycles.NodesOf(group)) {
        CHECK(group_of[node] == SIZE_MAX);
        group_of[node] = group;
      }
      found_edges += cycles.InnerEdgesOf(group).size();
    }
    for (uint32_t a = 0; a < nodes; ++a) {
      const auto is_end = [&](const FlowEdge& edge) { return edge.from == a || edge.to == a; };
      REQUIRE((group_of[a] != SIZE_MAX) == std::any_of(edges.begin(), edges.end(), is_end));
      for (uint32_t b = 0; b < nodes; ++b) {
        if (a == b || group_of[a] == SIZE_MAX) continue;
        CHECK((group_of[a] == group_of[b]) == (reaches[a][b] && reaches[b][a]));
      }
      for (const FlowEdge& edge : cycles.OuterEdgesOf(a)) {
        CHECK(edge.from == a);
        CHECK(group_of[edge.to] > group_of[a]);
        ++found_edges;
      }
    }
    CHECK(found_edges == edges.size());
  }
}

}  // namespace
}  // namespace iprof
