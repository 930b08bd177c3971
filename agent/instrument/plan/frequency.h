// FrequencyEstimate: estimates how often each edge of a method runs, from the shape of the graph.
//
// It only orders edges: a wrong estimate costs time, never a count. One depth-first walk finds the
// loops, also irreducible ones (the first node of a cycle that the walk reaches is its header).
// Then frequencies flow through the graph in reverse postorder, starting with entry = 1:
// - a loop's header runs kLoopTrips times as often as the loop is entered;
// - an if divides by weights: staying in the loop 7 : leaving it 1; towards code that must end in a
//   throw or is otherwise cold 1/64; the opcode's hint (x == null, x == y: rarely; x < 0: rarely) 5
//   : 3; a switch's slots are equal;
// - a handler runs 1/64 as often as the first block that it protects.
// In the walk, an exception range is an edge from its first block, so that a try inside a loop does
// not split the loop.
//
// Guarantees: not recursive; nearly linear; keeps its memory between methods. Threads: one per
// object. Failure: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/instrument/plan/counting_graph.h"

namespace iprof::instrument {

class FrequencyEstimate {
 public:
  static constexpr double kLoopTrips = 8;
  static constexpr double kColdShare = 1.0 / 64;
  static constexpr double kMaxFrequency = 1e12;

  // The graph must be finished. The results are valid until the next call.
  void Compute(const CountingGraph& graph);

  // By edge number. Edges of unreachable blocks have 0.
  std::span<const double> edge_frequency() const { return edge_frequency_; }
  std::span<const double> node_frequency() const { return node_frequency_; }
  // Unreachable blocks never run, so their edges need no counters.
  bool Reachable(uint32_t node) const { return order_of_[node] != kUnseen; }
  // The number of loops around a block. A header is inside its own loop.
  uint32_t LoopDepth(uint32_t node) const { return depth_[node]; }

 private:
  static constexpr uint32_t kUnseen = UINT32_MAX;
  static constexpr uint32_t kNone = UINT32_MAX;

  void Walk(const CountingGraph& graph);
  uint32_t Successor(const CountingGraph& graph, uint32_t node, uint32_t i) const;
  void JoinLoop(uint32_t node, uint32_t header);
  void FindDepths();
  void FindCold(const CountingGraph& graph);
  void Propagate(const CountingGraph& graph);
  bool Leaves(uint32_t src, uint32_t dst) const;
  uint32_t LoopOf(uint32_t node) const { return is_header_[node] != 0 ? node : loop_header_[node]; }

  struct Visit {
    uint32_t node;
    uint32_t next;
  };
  std::vector<Visit> stack_;
  std::vector<uint32_t> path_position_;  // 1-based position on the walk's path; 0: not on it
  std::vector<uint32_t> order_of_;       // discovery number
  std::vector<uint32_t> post_position_;  // position in postorder_
  std::vector<uint32_t> postorder_;
  std::vector<uint32_t> loop_header_;  // innermost header around the node, not the node itself
  std::vector<uint8_t> is_header_;
  std::vector<uint32_t> depth_;
  std::vector<uint8_t> cold_;
  std::vector<uint32_t> range_begin_, range_handler_;  // handlers by first protected node
  std::vector<double> node_frequency_, edge_frequency_;
};

}  // namespace iprof::instrument
