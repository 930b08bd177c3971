// CoarseGraph: a counting graph in which branches that are not required are merged, so that counting
// the rest needs fewer counters.
//
// The two ends of every branch edge (of an if or a switch) that is not required become one node.
// Flow conservation holds for the merged node, because it holds for each block in it and the edges
// between them cancel out. So the proof in derivation.h for sets of blocks applies here too, and a
// count that is derived from this graph is as exact as one from the whole graph. The counts of
// merged edges are unknown: their branches have no record.
//
// Edges of unreachable blocks, and edges that are not required and have both ends in one merged
// node, are left out. A merged node throws, is unguarded or is cold if any of its blocks is. An
// exception range protects every merged node that contains a block of it: more handlers are counted
// than necessary, never fewer.
//
// Guarantees: as above; keeps its memory between methods. Threads: one per object. Failure: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/plan/counting_graph.h"
#include "agent/plan/spanning_tree.h"
#include "writer/records/derivation.h"

namespace iprof::instrument {

class CoarseGraph {
 public:
  // `fine` must be finished. live[v] says which of its nodes are reachable.
  void Build(const CountingGraph& fine, std::span<const uint8_t> live);

  // The finished graph. Edge 0 is the entry here too.
  const CountingGraph& graph() const { return graph_; }
  // The edge of the fine graph for an edge of graph().
  uint32_t FineEdge(uint32_t edge) const { return fine_edge_[edge]; }
  // Whether the entry block was not merged with others and is reached only by the entry.
  bool first_is_single() const { return first_is_single_; }

  // Converts values by edge of graph() to values by edge of the fine graph; kNoValue for the rest.
  void ToFine(uint32_t fine_edges, std::vector<ValueId>* value_of_edge);

 private:
  void MergeNodes(const CountingGraph& fine, std::span<const uint8_t> live);
  void AddRanges(const CountingGraph& fine, std::span<const uint8_t> live);

  CountingGraph graph_;
  bool first_is_single_ = true;
  std::vector<uint32_t> fine_edge_;
  std::vector<uint32_t> node_of_;  // by fine node
  std::vector<uint32_t> members_;  // by node: its number of blocks
  std::vector<uint32_t> inside_;   // scratch: the nodes of one range
  std::vector<ValueId> values_;    // scratch
  DisjointSets sets_;
};

}  // namespace iprof::instrument
