// Chooses the edges that are not counted: a maximum spanning forest or a maximum arborescence.
//
// Both choose, by weight, edges whose counts follow from the others by flow conservation:
// - ChooseForest: the heaviest edges that form no undirected cycle (Kruskal). Their number is that
//   of the nodes minus one per connected part, so no placement that derives every edge has fewer
//   counters.
// - ChooseArborescence: one outgoing edge of every block, without directed cycles, of maximum total
//   weight (Edmonds, with mergeable heaps): every value is derived from earlier ones. If no way
//   leads from a block to the root, the block gets a fake edge to it, which never runs.
// Caught blocks (CountingNode::caught) have such an edge to the root for the exceptions that leave
// them, and it is always chosen: nothing is derived from their conservation.
//
// Guarantees: linear memory, O(E log E) time, not recursive; both keep their memory between
// methods. Threads: one per object. Failure: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/plan/counting_graph.h"

namespace iprof::instrument {

// Disjoint sets that can only merge.
class DisjointSets {
 public:
  void Reset(uint32_t count);
  uint32_t Find(uint32_t x);
  // Adds the set of `x` to the set of `into`. Both must be representatives.
  void Attach(uint32_t x, uint32_t into) { parent_[x] = into; }

 private:
  std::vector<uint32_t> parent_;
};

// An edge takes part if weight >= 0. A negative weight means: always counted (or dead).
class SpanningForest {
 public:
  // Sets chosen[e] = 1 for the edges that are not counted. `weight` and `chosen` are by edge
  // number. Among equal weights, edges that are not outputs are chosen first, so that outputs are
  // measured.
  void Choose(const CountingGraph& graph, std::span<const double> weight,
              std::span<uint8_t> chosen);

 private:
  std::vector<uint64_t> keys_;
  DisjointSets sets_;
};

class Arborescence {
 public:
  // As above. `live[v]` says which nodes take part. Every edge between live nodes has weight >= 0,
  // unless it leaves the root. fake_exit[v] = 1 if the block's way out is a fake edge, that is, if
  // all its real edges are counted. This is always so for caught blocks.
  void Choose(const CountingGraph& graph, std::span<const double> weight,
              std::span<const uint8_t> live, std::span<uint8_t> chosen,
              std::span<uint8_t> fake_exit);

 private:
  static constexpr uint32_t kNil = UINT32_MAX;
  // A heap node: item e < edge_count is edge e; item edge_count + v is the fake edge of node v.
  struct Item {
    double key;
    double lazy;
    uint32_t left;
    uint32_t right;
  };

  void FindStuck(const CountingGraph& graph, std::span<const uint8_t> live);
  uint32_t Merge(uint32_t a, uint32_t b);
  void PushDown(uint32_t item);
  uint32_t Pop(uint32_t heap);
  uint32_t SourceOf(const CountingGraph& graph, uint32_t item) const;
  uint32_t TargetOf(const CountingGraph& graph, uint32_t item) const;
  void Contract(const CountingGraph& graph, std::span<const uint8_t> live);
  void Expand(const CountingGraph& graph);

  std::vector<Item> items_;
  std::vector<uint8_t> stuck_;      // no way to the root
  std::vector<uint32_t> work_;      // path of the search; work list
  std::vector<uint32_t> heap_;      // by (super) node: heap of outgoing items
  std::vector<uint32_t> choice_;    // by (super) node: the chosen item that leaves it
  std::vector<double> choice_key_;  // its adjusted weight when chosen
  std::vector<uint32_t> parent_;    // by (super) node: the super node that contains it
  std::vector<uint8_t> state_;      // 0 new, 1 on the path, 2 done; then: 1 = already expanded
  DisjointSets sets_;
};

}  // namespace iprof::instrument
