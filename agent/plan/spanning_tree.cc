#include "agent/plan/spanning_tree.h"

#include <algorithm>
#include <bit>

namespace iprof::instrument {
namespace {

// Worse than every real choice, so that a fake edge is taken only if nothing else leads out.
// (Frequencies are at most 1e12; a larger magnitude would lose their differences to rounding.)
constexpr double kFakeWeight = -1e14;
// Small enough to decide only between equal weights.
constexpr double kTieBreak = 1.0 + 1e-6;

// Larger keys are taken first. Non-negative floats compare like their bits. The low mantissa bits
// are cut off, so that weights that differ only by rounding are equal.
uint64_t KeyOf(double weight, bool required, uint32_t edge) {
  const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(weight)) & ~0xfffu;
  return (uint64_t{bits} << 32) | (uint64_t{required ? 0u : 1u} << 31) | (0x7fffffffu - edge);
}

}  // namespace

void DisjointSets::Reset(uint32_t count) {
  parent_.resize(count);
  for (uint32_t i = 0; i < count; ++i) parent_[i] = i;
}

uint32_t DisjointSets::Find(uint32_t x) {
  while (parent_[x] != x) {
    parent_[x] = parent_[parent_[x]];
    x = parent_[x];
  }
  return x;
}

void SpanningForest::Choose(const CountingGraph& graph, std::span<const double> weight,
                            std::span<uint8_t> chosen) {
  std::fill(chosen.begin(), chosen.end(), uint8_t{0});
  keys_.clear();
  for (uint32_t e = 0; e < graph.edge_count(); ++e) {
    const CountingEdge& edge = graph.edge(EdgeId{e});
    if (weight[e] < 0 || edge.src == edge.dst) continue;
    keys_.push_back(KeyOf(weight[e], edge.required, e));
  }
  std::sort(keys_.begin(), keys_.end(), std::greater<>());
  sets_.Reset(graph.node_count());
  for (uint32_t v = 1; v < graph.node_count(); ++v) {
    if (graph.node(NodeId{v}).caught) sets_.Attach(v, Index(kRoot));
  }
  for (uint64_t key : keys_) {
    const uint32_t e = 0x7fffffffu - static_cast<uint32_t>(key & 0x7fffffffu);
    const CountingEdge& edge = graph.edge(EdgeId{e});
    const uint32_t a = sets_.Find(Index(edge.src));
    const uint32_t b = sets_.Find(Index(edge.dst));
    if (a == b) continue;
    sets_.Attach(std::max(a, b), std::min(a, b));
    chosen[e] = 1;
  }
}

void Arborescence::Choose(const CountingGraph& graph, std::span<const double> weight,
                          std::span<const uint8_t> live, std::span<uint8_t> chosen,
                          std::span<uint8_t> fake_exit) {
  const uint32_t edges = graph.edge_count();
  const uint32_t nodes = graph.node_count();
  std::fill(chosen.begin(), chosen.end(), uint8_t{0});
  std::fill(fake_exit.begin(), fake_exit.end(), uint8_t{0});
  FindStuck(graph, live);

  // A contraction merges at least two nodes into a super node, so there are never more than 2 n
  // nodes.
  items_.assign(edges + nodes, {0, 0, kNil, kNil});
  heap_.assign(nodes, kNil);
  heap_.reserve(2 * nodes);
  for (uint32_t e = 0; e < edges; ++e) {
    const CountingEdge& edge = graph.edge(EdgeId{e});
    if (edge.src == kRoot || edge.src == edge.dst || live[Index(edge.src)] == 0) continue;
    if (graph.node(edge.src).caught) continue;
    items_[e].key = edge.required ? weight[e] : weight[e] * kTieBreak;
    heap_[Index(edge.src)] = Merge(heap_[Index(edge.src)], e);
  }
  for (uint32_t v = 1; v < nodes; ++v) {
    if (live[v] == 0 || (stuck_[v] == 0 && !graph.node(NodeId{v}).caught)) continue;
    items_[edges + v].key = kFakeWeight;
    heap_[v] = Merge(heap_[v], edges + v);
  }
  Contract(graph, live);
  Expand(graph);
  for (uint32_t v = 1; v < nodes; ++v) {
    if (live[v] == 0) continue;
    if (choice_[v] < edges) {
      chosen[choice_[v]] = 1;
    } else {
      fake_exit[v] = 1;
    }
  }
}

void Arborescence::FindStuck(const CountingGraph& graph, std::span<const uint8_t> live) {
  stuck_.assign(graph.node_count(), 1);
  stuck_[Index(kRoot)] = 0;
  work_.assign(1, Index(kRoot));
  for (uint32_t v = 1; v < graph.node_count(); ++v) {
    if (live[v] == 0 || !graph.node(NodeId{v}).caught) continue;
    stuck_[v] = 0;
    work_.push_back(v);
  }
  while (!work_.empty()) {
    const uint32_t v = work_.back();
    work_.pop_back();
    for (uint32_t e : graph.In(v)) {
      const uint32_t src = Index(graph.edge(EdgeId{e}).src);
      if (stuck_[src] == 0 || live[src] == 0) continue;
      stuck_[src] = 0;
      work_.push_back(src);
    }
  }
}

uint32_t Arborescence::SourceOf(const CountingGraph& graph, uint32_t item) const {
  return item < graph.edge_count() ? Index(graph.edge(EdgeId{item}).src)
                                   : item - graph.edge_count();
}

uint32_t Arborescence::TargetOf(const CountingGraph& graph, uint32_t item) const {
  return item < graph.edge_count() ? Index(graph.edge(EdgeId{item}).dst) : Index(kRoot);
}

void Arborescence::PushDown(uint32_t item) {
  Item& i = items_[item];
  if (i.lazy == 0) return;
  i.key += i.lazy;
  if (i.left != kNil) items_[i.left].lazy += i.lazy;
  if (i.right != kNil) items_[i.right].lazy += i.lazy;
  i.lazy = 0;
}

// Merges two skew heaps from the top down: the larger root wins, and its children are swapped.
uint32_t Arborescence::Merge(uint32_t a, uint32_t b) {
  uint32_t root = kNil;
  uint32_t last = kNil;  // the rest becomes its left child
  while (a != kNil && b != kNil) {
    PushDown(a);
    PushDown(b);
    if (items_[a].key < items_[b].key) std::swap(a, b);
    (last == kNil ? root : items_[last].left) = a;
    last = a;
    const uint32_t rest = items_[a].right;
    items_[a].right = items_[a].left;
    items_[a].left = kNil;
    a = rest;
  }
  (last == kNil ? root : items_[last].left) = a != kNil ? a : b;
  return root;
}

uint32_t Arborescence::Pop(uint32_t heap) {
  PushDown(heap);
  return Merge(items_[heap].left, items_[heap].right);
}

// Follows the best outgoing edge from each node. When the path closes a cycle, the cycle becomes
// one super node. The weight of each of its remaining edges is reduced by what choosing it would
// cost inside the cycle.
void Arborescence::Contract(const CountingGraph& graph, std::span<const uint8_t> live) {
  const uint32_t nodes = graph.node_count();
  sets_.Reset(2 * nodes);
  choice_.assign(nodes, kNil);
  choice_key_.assign(nodes, 0);
  parent_.assign(nodes, kNil);
  state_.assign(nodes, 0);
  state_[Index(kRoot)] = 2;
  for (uint32_t start = 1; start < nodes; ++start) {
    if (live[start] == 0 || state_[sets_.Find(start)] != 0) continue;
    work_.assign(1, sets_.Find(start));
    state_[work_.back()] = 1;
    for (;;) {
      const uint32_t at = work_.back();
      uint32_t item = heap_[at];
      assert(item != kNil);  // stuck nodes have a fake way out
      PushDown(item);
      heap_[at] = Pop(item);
      uint32_t next = sets_.Find(TargetOf(graph, item));
      if (next == at) continue;  // inside a contracted cycle
      choice_[at] = item;
      choice_key_[at] = items_[item].key;
      if (state_[next] == 2) break;
      if (state_[next] == 0) {
        state_[next] = 1;
        work_.push_back(next);
        continue;
      }
      const uint32_t super = static_cast<uint32_t>(heap_.size());
      uint32_t merged = kNil;
      uint32_t member;
      do {
        member = work_.back();
        work_.pop_back();
        parent_[member] = super;
        sets_.Attach(member, super);
        if (heap_[member] != kNil) items_[heap_[member]].lazy -= choice_key_[member];
        merged = Merge(merged, heap_[member]);
      } while (member != next);
      heap_.push_back(merged);
      choice_.push_back(kNil);
      choice_key_.push_back(0);
      parent_.push_back(kNil);
      state_.push_back(1);
      work_.push_back(super);
    }
    for (uint32_t v : work_) state_[v] = 2;
  }
}

// The edge that leaves a super node replaces, in each cycle around its source, the choice of the
// member at which it starts. The newest super nodes come first. Each is opened once, so this is
// linear.
void Arborescence::Expand(const CountingGraph& graph) {
  std::fill(state_.begin(), state_.end(), uint8_t{0});
  for (uint32_t super = static_cast<uint32_t>(choice_.size()); super-- > graph.node_count();) {
    if (state_[super] != 0) continue;
    const uint32_t item = choice_[super];
    for (uint32_t v = SourceOf(graph, item); v != super; v = parent_[v]) {
      choice_[v] = item;
      state_[v] = 1;
    }
  }
}

}  // namespace iprof::instrument
