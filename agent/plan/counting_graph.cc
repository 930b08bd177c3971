#include "agent/plan/counting_graph.h"

namespace iprof::instrument {

void CountingGraph::Clear() {
  nodes_.clear();
  edges_.clear();
  ranges_.clear();
  nodes_.push_back({});
  finished_ = false;
}

NodeId CountingGraph::AddNode(uint32_t first_insn) {
  finished_ = false;
  nodes_.push_back({first_insn, false, false, false, false, false});
  return NodeId{node_count() - 1};
}

EdgeId CountingGraph::AddEdge(EdgeKind kind, NodeId src, NodeId dst, uint32_t insn, uint32_t slot) {
  assert((kind == EdgeKind::kEntry) == edges_.empty());
  finished_ = false;
  edges_.push_back({src, dst, insn, slot, kind, 1, false});
  return EdgeId{edge_count() - 1};
}

void CountingGraph::Finish() {
  const uint32_t nodes = node_count();
  out_begin_.assign(nodes + 1, 0);
  in_begin_.assign(nodes + 1, 0);
  out_.resize(edges_.size());
  in_.resize(edges_.size());
  // Counting sort by source and by destination: counts, running sums, then a backward fill. After
  // the fill, each begin is the start of its list, and each list is in ascending order.
  for (const CountingEdge& e : edges_) {
    assert(Index(e.src) < nodes && Index(e.dst) < nodes);
    ++out_begin_[Index(e.src)];
    ++in_begin_[Index(e.dst)];
  }
  for (uint32_t v = 1; v <= nodes; ++v) {
    out_begin_[v] += out_begin_[v - 1];
    in_begin_[v] += in_begin_[v - 1];
  }
  for (uint32_t i = edge_count(); i-- > 0;) {
    out_[--out_begin_[Index(edges_[i].src)]] = i;
    in_[--in_begin_[Index(edges_[i].dst)]] = i;
  }
  finished_ = true;
}

}  // namespace iprof::instrument
