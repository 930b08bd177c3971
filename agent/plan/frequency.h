// FrequencyEstimate: estimates how often each edge of a method runs.
//
// It only orders edges: a wrong estimate costs time, never a count. Where it is known from earlier runs how often
// each way out of a block was taken (branch_weights.h), it uses that. Elsewhere it guesses from the
// shape of the graph. One depth-first walk finds the loops, also irreducible ones (the first node of
// a cycle that the walk reaches is its header). Then it proceeds as Wu and Larus do:
// - Every way out of a block gets a share. Known ways get theirs. The others start with what the
//   instruction suggests (CountingEdge::odds) and multiply that: staying in the loop 3 : leaving it
//   1; towards code that must end in a throw or is otherwise cold 1/512. The slots of a switch are
//   equal.
// - From the inner loops to the outer ones: if an iteration is followed by another with probability
//   p, the header runs 1/(1-p) times as often as the loop is entered.
// - Frequencies flow through the graph in reverse postorder, starting with entry = 1.
// - A handler runs 1/512 as often as the first block that it protects.
// In the walk, an exception range is an edge from its first block, so that a try inside a loop does
// not split the loop.
//
// Guarantees: not recursive; linear but for the depth of loops; keeps its memory between methods.
// Threads: one per object. Failure: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/plan/counting_graph.h"

namespace iprof::instrument {

class FrequencyEstimate {
 public:
  static constexpr double kMostTrips = 1e6;    // of a loop, each time that it is entered
  static constexpr double kLeastShare = 1e-6;  // of a way that was never taken
  static constexpr double kColdShare = 1.0 / 512;
  static constexpr double kMaxFrequency = 1e12;

  // The graph must be finished. The results are valid until the next call. `known`: by edge number,
  // how often a way out of a block was taken, compared with the block's other ways; negative:
  // unknown. Empty: nothing is known.
  void Compute(const CountingGraph& graph, std::span<const double> known = {});

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
  void FindShares(const CountingGraph& graph, std::span<const double> known);
  bool UseKnown(std::span<const uint32_t> out, std::span<const double> known);
  void FindTrips(const CountingGraph& graph);
  void Propagate(const CountingGraph& graph);
  bool IsIn(uint32_t node, uint32_t loop) const;
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
  std::vector<double> share_;                          // by edge: of its source's ways out
  std::vector<double> trips_;                          // by header
  std::vector<uint32_t> loop_last_;  // by header: the last position in reverse postorder
  std::vector<double> node_frequency_, edge_frequency_;
};

}  // namespace iprof::instrument
