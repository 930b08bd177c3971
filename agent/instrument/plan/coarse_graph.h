// CoarseGraph: a flow graph in which branches that nobody asks for are closed up, so that counting
// the rest takes fewer counters.
//
// The two ends of every branch edge (of an if or a switch) that is not required become one node.
// Flow conservation holds for the merged node, because it holds for each block in it and the edges
// between them cancel out. So what derivation.h proves for sets of blocks holds here too, and a
// count that is derived from this graph is as true as one from the whole graph. Counts of the
// closed edges are unknown: their branches have no record.
//
// Edges of unreachable blocks, and edges that are not required and have both ends in one merged
// node, are left out. A merged node throws, is unguarded or cold where any of its blocks is. An
// exception range protects every merged node that has a block in it: more handlers are counted than
// would be needed, never fewer.
//
// Keeps its memory between methods. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/instrument/plan/flow_graph.h"
#include "agent/instrument/plan/spanning_tree.h"
#include "writer/methods/derivation.h"

namespace iprof::instrument {

class CoarseGraph {
 public:
  // `fine` must be finished; live[v] says which of its nodes can be reached.
  void Build(const FlowGraph& fine, std::span<const uint8_t> live);

  // Finished. Edge 0 is the entry here too.
  const FlowGraph& graph() const { return graph_; }
  // The edge that an edge of graph() is.
  uint32_t FineEdge(uint32_t edge) const { return fine_edge_[edge]; }
  // Whether the block that the entry leads to stands for itself alone and nothing else leads to it.
  bool first_is_single() const { return first_is_single_; }

  // Turns values by edge of graph() into values by edge of the fine graph; kNoValue for the rest.
  void ToFine(uint32_t fine_edges, std::vector<ValueId>* value_of_edge);

 private:
  void MergeNodes(const FlowGraph& fine, std::span<const uint8_t> live);
  void AddRanges(const FlowGraph& fine, std::span<const uint8_t> live);

  FlowGraph graph_;
  bool first_is_single_ = true;
  std::vector<uint32_t> fine_edge_;
  std::vector<uint32_t> node_of_;  // by fine node
  std::vector<uint32_t> members_;  // by node: how many blocks it stands for
  std::vector<uint32_t> inside_;   // scratch: the nodes of one range
  std::vector<ValueId> values_;    // scratch
  DisjointSets sets_;
};

}  // namespace iprof::instrument
