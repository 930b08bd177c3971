// CallCycles: a weighted graph of calls, and which of its methods call each other in circles.
//
// A group is a set of methods each of which reaches all others: a strongly connected component. Most
// have one method, which does not call itself. Groups are ordered: callers before callees. A method that
// neither calls nor is called is in none: most methods of a program never run.
//
// Guarantees: pure; takes time and memory that are linear in nodes and edges, but for sorting; no
// recursion. The edges between two nodes are in the order of their gains.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "writer/flow/flow_edge.h"

namespace iprof {

class CallCycles {
 public:
  // All edges are between nodes that exist.
  CallCycles(uint32_t nodes, const std::vector<FlowEdge>& edges);

  size_t size() const { return groups_.size(); }
  // The nodes of a group, ascending.
  std::span<const uint32_t> NodesOf(size_t group) const {
    return std::span(nodes_).subspan(groups_[group].first_node, groups_[group].nodes);
  }
  // The edges inside a group; from and to are places in NodesOf. Empty: no recursion.
  std::span<const FlowEdge> InnerEdgesOf(size_t group) const {
    return std::span(inner_).subspan(groups_[group].first_inner, groups_[group].inner);
  }
  // The edges of a node to other groups.
  std::span<const FlowEdge> OuterEdgesOf(uint32_t node) const {
    return std::span(outer_).subspan(first_outer_[node],
                                     first_outer_[node + 1] - first_outer_[node]);
  }

 private:
  struct Group {
    uint32_t first_node = 0, nodes = 0;
    uint32_t first_inner = 0, inner = 0;
  };

  void AddGroup(std::span<const uint32_t> nodes, std::span<const FlowEdge> edges,
                std::span<const uint32_t> first, std::span<const uint32_t> group_of);

  std::vector<Group> groups_;
  std::vector<uint32_t> nodes_;        // by group
  std::vector<FlowEdge> inner_;        // by group
  std::vector<FlowEdge> outer_;        // by from
  std::vector<uint32_t> first_outer_;  // of each node, and the end
};

}  // namespace iprof
