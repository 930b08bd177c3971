#include "agent/plan/coarse_graph.h"

#include <algorithm>

namespace iprof::instrument {
namespace {

bool IsBranchEdge(EdgeKind kind) {
  return kind == EdgeKind::kTaken || kind == EdgeKind::kNotTaken || kind == EdgeKind::kSlot;
}

}  // namespace

void CoarseGraph::Build(const CountingGraph& fine, std::span<const uint8_t> live) {
  graph_.Clear();
  fine_edge_.clear();
  MergeNodes(fine, live);
  for (uint32_t e = 0; e < fine.edge_count(); ++e) {
    const CountingEdge& edge = fine.edge(EdgeId{e});
    if (live[Index(edge.src)] == 0 || live[Index(edge.dst)] == 0) continue;
    const NodeId src{node_of_[Index(edge.src)]};
    const NodeId dst{node_of_[Index(edge.dst)]};
    if (src == dst && !edge.required) continue;
    const EdgeId added = graph_.AddEdge(edge.kind, src, dst, edge.insn, edge.slot);
    graph_.edge(added).odds = edge.odds;
    graph_.edge(added).required = edge.required;
    graph_.edge(added).by_key = edge.by_key;
    fine_edge_.push_back(e);
  }
  AddRanges(fine, live);
  graph_.Finish();
  const uint32_t first = Index(fine.edge(kEntryEdge).dst);
  first_is_single_ = members_[node_of_[first]] == 1 && fine.In(first).size() == 1;
}

void CoarseGraph::MergeNodes(const CountingGraph& fine, std::span<const uint8_t> live) {
  const uint32_t nodes = fine.node_count();
  sets_.Reset(nodes);
  for (const CountingEdge& edge : fine.edges()) {
    if (edge.required || !IsBranchEdge(edge.kind) || live[Index(edge.src)] == 0) continue;
    const uint32_t a = sets_.Find(Index(edge.src));
    const uint32_t b = sets_.Find(Index(edge.dst));
    if (a != b) sets_.Attach(std::max(a, b), std::min(a, b));
  }
  // A set is named by its first block, so that nodes keep the order of the code.
  node_of_.assign(nodes, Index(kRoot));
  members_.assign(1, 1);
  for (uint32_t v = 1; v < nodes; ++v) {
    if (live[v] == 0) continue;
    const CountingNode& node = fine.node(NodeId{v});
    const uint32_t first = sets_.Find(v);
    if (first == v) {
      node_of_[v] = Index(graph_.AddNode(node.first_insn));
      graph_.node(NodeId{node_of_[v]}) = node;
      members_.push_back(1);
      continue;
    }
    node_of_[v] = node_of_[first];
    ++members_[node_of_[v]];
    graph_.node(NodeId{node_of_[v]}).Absorb(node);
  }
}

// The nodes of a range may not be consecutive here; each consecutive run becomes a range.
void CoarseGraph::AddRanges(const CountingGraph& fine, std::span<const uint8_t> live) {
  for (const HandlerRange& range : fine.ranges()) {
    if (live[Index(range.handler)] == 0) continue;
    HandlerRange made = range;
    made.handler = NodeId{node_of_[Index(range.handler)]};
    inside_.clear();
    for (uint32_t v = Index(range.first); v < Index(range.end); ++v) {
      if (live[v] != 0) inside_.push_back(node_of_[v]);
    }
    std::sort(inside_.begin(), inside_.end());
    for (size_t i = 0; i < inside_.size();) {
      const uint32_t first = inside_[i];
      uint32_t last = first;
      while (i < inside_.size() && inside_[i] <= last + 1) last = inside_[i++];
      made.first = NodeId{first};
      made.end = NodeId{last + 1};
      graph_.AddHandlerRange(made);
    }
  }
}

void CoarseGraph::ToFine(uint32_t fine_edges, std::vector<ValueId>* value_of_edge) {
  values_.swap(*value_of_edge);
  value_of_edge->assign(fine_edges, kNoValue);
  for (uint32_t e = 0; e < graph_.edge_count(); ++e) (*value_of_edge)[fine_edge_[e]] = values_[e];
}

}  // namespace iprof::instrument
