#include "agent/plan/frequency.h"

#include <algorithm>

namespace iprof::instrument {
namespace {

constexpr double kStay = 3;  // staying in a loop, against leaving it (kLeave)
constexpr double kLeave = 1;
// Loops inside many others are not worth the time: beyond so many steps, the rest is guessed.
constexpr uint32_t kStepsPerNode = 64;
constexpr double kUsualTrips = 8;

}  // namespace

void FrequencyEstimate::Compute(const CountingGraph& graph, std::span<const double> known) {
  Walk(graph);
  FindDepths();
  FindCold(graph);
  FindShares(graph, known);
  FindTrips(graph);
  Propagate(graph);
}

// The i-th successor in the walk: real edges first, then handlers whose range begins at the node.
// For the root: the entry first, and handlers only for ranges that nothing else reached.
uint32_t FrequencyEstimate::Successor(const CountingGraph& graph, uint32_t node, uint32_t i) const {
  const auto out = graph.Out(node);
  if (i < out.size()) return Index(graph.edge(EdgeId{out[i]}).dst);
  i -= static_cast<uint32_t>(out.size());
  const uint32_t begin = range_begin_[node];
  return i < range_begin_[node + 1] - begin ? range_handler_[begin + i] : kNone;
}

// Depth-first. When an edge reaches a node on the current path, that node is the header of a loop,
// and it is a header for every node in between. loop_header_ links each node to its innermost
// header, and headers to theirs: a forest that JoinLoop keeps ordered by depth on the path.
void FrequencyEstimate::Walk(const CountingGraph& graph) {
  const uint32_t nodes = graph.node_count();
  range_begin_.assign(nodes + 2, 0);
  for (const HandlerRange& r : graph.ranges()) ++range_begin_[Index(r.first) + 1];
  for (uint32_t v = 1; v <= nodes; ++v) range_begin_[v] += range_begin_[v - 1];
  range_handler_.resize(graph.ranges().size());
  // the next free position of each
  post_position_.assign(range_begin_.begin(), range_begin_.end() - 1);
  for (const HandlerRange& r : graph.ranges()) {
    range_handler_[post_position_[Index(r.first)]++] = Index(r.handler);
  }

  path_position_.assign(nodes, 0);
  order_of_.assign(nodes, kUnseen);
  post_position_.assign(nodes, 0);
  loop_header_.assign(nodes, kNone);
  is_header_.assign(nodes, 0);
  postorder_.clear();
  stack_.clear();
  uint32_t seen = 0;
  order_of_[Index(kRoot)] = seen++;

  // The root is never on the path: flow returns to it, which is not a loop. Its edges are started
  // one by one, the entry first, so that handlers are reached from inside the code that they
  // protect.
  for (uint32_t start : graph.Out(Index(kRoot))) {
    const uint32_t first = Index(graph.edge(EdgeId{start}).dst);
    if (order_of_[first] != kUnseen) continue;
    order_of_[first] = seen++;
    stack_.push_back({first, 0});
    path_position_[first] = 1;
    while (!stack_.empty()) {
      Visit& top = stack_.back();
      const uint32_t node = top.node;
      const uint32_t next = Successor(graph, node, top.next++);
      if (next == kNone) {
        path_position_[node] = 0;
        post_position_[node] = static_cast<uint32_t>(postorder_.size());
        postorder_.push_back(node);
        stack_.pop_back();
        if (!stack_.empty()) JoinLoop(stack_.back().node, loop_header_[node]);
        continue;
      }
      if (next == Index(kRoot)) continue;
      if (order_of_[next] == kUnseen) {
        order_of_[next] = seen++;
        path_position_[next] = static_cast<uint32_t>(stack_.size()) + 1;
        stack_.push_back({next, 0});
      } else if (path_position_[next] != 0) {
        is_header_[next] = 1;
        JoinLoop(node, next);
      } else {
        // Already finished: it may be in loops whose headers are still on the path. Loops whose
        // headers are not were entered beside their header (irreducible): skip to the next outer
        // one.
        uint32_t header = loop_header_[next];
        while (header != kNone && path_position_[header] == 0) header = loop_header_[header];
        JoinLoop(node, header);
      }
    }
  }
}

void FrequencyEstimate::JoinLoop(uint32_t node, uint32_t header) {
  if (node == header || header == kNone) return;
  while (loop_header_[node] != kNone) {
    const uint32_t old = loop_header_[node];
    if (old == header) return;
    if (path_position_[old] < path_position_[header]) {
      // The new header is the inner one: insert it first, then join the old one to it.
      loop_header_[node] = header;
      node = header;
      header = old;
    } else {
      node = old;
    }
  }
  loop_header_[node] = header;
}

void FrequencyEstimate::FindDepths() {
  depth_.assign(order_of_.size(), 0);
  // A header is discovered before the nodes of its loop, so in reverse postorder its depth is
  // ready.
  for (size_t i = postorder_.size(); i-- > 0;) {
    const uint32_t v = postorder_[i];
    const uint32_t outer = loop_header_[v];
    depth_[v] = (outer == kNone ? 0 : depth_[outer]) + is_header_[v];
  }
}

// A block is cold if it is marked as cold, or if all its ways lead to cold blocks.
void FrequencyEstimate::FindCold(const CountingGraph& graph) {
  cold_.assign(graph.node_count(), 0);
  for (uint32_t v : postorder_) {
    const auto out = graph.Out(v);
    cold_[v] = graph.node(NodeId{v}).cold ||
               (!out.empty() && std::all_of(out.begin(), out.end(), [&](uint32_t e) {
                 return cold_[Index(graph.edge(EdgeId{e}).dst)] != 0;
               }));
  }
}

// Whether a node belongs to the loop with this header, or to one inside it.
bool FrequencyEstimate::IsIn(uint32_t node, uint32_t loop) const {
  uint32_t at = LoopOf(node);
  while (at != kNone && depth_[at] > depth_[loop]) at = loop_header_[at];
  return at == loop;
}

// Whether an edge src -> dst leaves the innermost loop of src.
bool FrequencyEstimate::Leaves(uint32_t src, uint32_t dst) const {
  const uint32_t loop = LoopOf(src);
  return loop != kNone && (dst == Index(kRoot) || !IsIn(dst, loop));
}

// Fills in the shares of a block's ways out if they are known.
bool FrequencyEstimate::UseKnown(std::span<const uint32_t> out, std::span<const double> known) {
  if (known.empty()) return false;
  double total = 0;
  for (const uint32_t e : out) {
    if (known[e] < 0) return false;
    total += known[e];
  }
  if (total <= 0) return false;
  for (const uint32_t e : out) share_[e] = std::max(known[e] / total, kLeastShare);
  return true;
}

void FrequencyEstimate::FindShares(const CountingGraph& graph, std::span<const double> known) {
  share_.assign(graph.edge_count(), 0);
  for (const uint32_t v : postorder_) {
    const auto out = graph.Out(v);
    if (out.size() == 1) {
      share_[out[0]] = 1;
      continue;
    }
    if (UseKnown(out, known)) continue;
    double total = 0;
    for (const uint32_t e : out) {
      const CountingEdge& edge = graph.edge(EdgeId{e});
      double weight = edge.odds;
      if (LoopOf(v) != kNone) weight *= Leaves(v, Index(edge.dst)) ? kLeave : kStay;
      if (cold_[Index(edge.dst)] != 0 && cold_[v] == 0) weight *= kColdShare;
      share_[e] = weight;
      total += weight;
    }
    for (const uint32_t e : out) share_[e] /= total;
  }
}

// Lets one entry flow through each loop, inner loops first, and sees how much comes back. Inner
// headers are finished before outer ones in the walk, so they come first in postorder. Exceptions are
// left out.
void FrequencyEstimate::FindTrips(const CountingGraph& graph) {
  trips_.assign(graph.node_count(), 1);
  loop_last_.assign(graph.node_count(), kNone);
  // The first node in postorder that belongs to a loop. An inner loop passes its own on.
  const auto note = [&](uint32_t header, uint32_t position) {
    if (header != kNone) loop_last_[header] = std::min(loop_last_[header], position);
  };
  for (uint32_t i = 0; i < postorder_.size(); ++i) {
    const uint32_t v = postorder_[i];
    if (is_header_[v] == 0) {
      note(loop_header_[v], i);
    } else {
      note(v, i);
      note(loop_header_[v], loop_last_[v]);
    }
  }
  node_frequency_.assign(graph.node_count(), 0);
  uint64_t left = uint64_t{kStepsPerNode} * graph.node_count();
  for (const uint32_t header : postorder_) {
    if (is_header_[header] == 0) continue;
    const uint32_t last = loop_last_[header];
    const uint64_t steps = post_position_[header] + 1 - last;
    if (left < steps) {
      trips_[header] = kUsualTrips;
      continue;
    }
    left -= steps;
    for (uint32_t i = last; i <= post_position_[header]; ++i) node_frequency_[postorder_[i]] = 0;
    node_frequency_[header] = 1;
    double back = 0;
    for (uint32_t i = post_position_[header] + 1; i-- > last;) {
      const uint32_t v = postorder_[i];
      if (node_frequency_[v] == 0) continue;
      left -= std::min<uint64_t>(left, depth_[v] - std::min(depth_[v], depth_[header]));
      if (!IsIn(v, header)) continue;
      if (v != header) node_frequency_[v] *= trips_[v];
      for (const uint32_t e : graph.Out(v)) {
        const uint32_t dst = Index(graph.edge(EdgeId{e}).dst);
        if (dst == header) {
          back += node_frequency_[v] * share_[e];
        } else if (dst != Index(kRoot) && post_position_[dst] < i) {
          node_frequency_[dst] += node_frequency_[v] * share_[e];
        }
      }
    }
    trips_[header] = 1 / std::max(1 - back, 1 / kMostTrips);
  }
}

void FrequencyEstimate::Propagate(const CountingGraph& graph) {
  node_frequency_.assign(graph.node_count(), 0);
  edge_frequency_.assign(graph.edge_count(), 0);
  node_frequency_[Index(kRoot)] = 1;
  for (uint32_t e : graph.Out(Index(kRoot))) {
    const CountingEdge& edge = graph.edge(EdgeId{e});
    edge_frequency_[e] = edge.kind == EdgeKind::kEntry ? 1 : 0;
    node_frequency_[Index(edge.dst)] += edge_frequency_[e];
  }
  // Each node passes its frequency on to later nodes in this order. Back edges are covered by the
  // loops' trips.
  for (size_t i = postorder_.size(); i-- > 0;) {
    const uint32_t v = postorder_[i];
    // A handler that comes before the code that it protects, or that nothing else reaches, starts
    // low.
    if (node_frequency_[v] == 0) node_frequency_[v] = kColdShare;
    node_frequency_[v] = std::min(node_frequency_[v] * trips_[v], kMaxFrequency);

    for (uint32_t e : graph.Out(v)) {
      const uint32_t dst = Index(graph.edge(EdgeId{e}).dst);
      edge_frequency_[e] = share_[e] * node_frequency_[v];
      if (dst != Index(kRoot) && post_position_[dst] < post_position_[v]) {
        node_frequency_[dst] += edge_frequency_[e];
      }
    }
    for (uint32_t r = range_begin_[v]; r < range_begin_[v + 1]; ++r) {
      const uint32_t handler = range_handler_[r];
      if (post_position_[handler] < post_position_[v]) {
        node_frequency_[handler] += node_frequency_[v] * kColdShare;
      }
    }
  }
  for (uint32_t e : graph.Out(Index(kRoot))) {
    const CountingEdge& edge = graph.edge(EdgeId{e});
    if (edge.kind == EdgeKind::kHandler) {
      edge_frequency_[e] = std::min(node_frequency_[Index(edge.dst)], kMaxFrequency);
    }
  }
}

}  // namespace iprof::instrument
