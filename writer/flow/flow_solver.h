// FlowSolver: how often each node of a weighted graph is entered, from bounds on its nodes.
//
// A node is a method. An edge says how often one entry of `from` enters `to`, on average. So a
// method's entries are what flows into it, and at least its floor, which was counted, and at most its ceiling:
//
//   total(n) = clamp(inflow(n), floor(n), ceiling(n)),  inflow(n) = external(n) + sum of total(from) · gain
//
// A method that was counted whenever it ran has this number as its floor and as its ceiling: then nothing flows in. Where only
// entries beyond those that were counted call on, totals are these entries, and `external` is less by what was counted.
//
// Example: main is entered once and calls f 100 times, and f calls g twice. Of g 500 calls were counted, and nothing else: g was
// entered 500 times. If its ceiling is 120, it was entered 120 times; without bounds, 200 times.
//
// Recursion makes this unstable: a cycle whose gains multiply to more than 1 has no finite solution,
// and slightly wrong gains near 1 explode. Where gains are certain, ceilings must hold such cycles. Otherwise, within each group
// of mutually recursive methods
//  - gains are scaled down together until they multiply to at most kMostGain (by their spectral
//    radius), and
//  - a total is inflow^kTrust · anchor^(1 - kTrust): a weighted mean with what was counted. The
//    anchor of a method is its floor, or what flows in from floors, times the growth of the flow
//    into its group from outside: how much larger it is than from floors alone.
//
// Guarantees: pure; finite for any input: undefined numbers, and bounds and gains below 0, count as 0, and totals end at
// kMostTotal. Of several solutions, where gains are certain, it is the smallest. The totals of recursive methods are
// exact to about 1e-4. The order of nodes and edges makes no difference, but for rounding.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "writer/flow/call_cycles.h"
#include "writer/flow/flow_edge.h"

namespace iprof {

struct FlowProblem {
  std::vector<double> floor = {};     // of each node
  std::vector<double> external = {};  // flows in from nowhere, or is taken off; empty: nothing
  std::vector<FlowEdge> edges = {};   // edges to or from nodes that do not exist are ignored
  std::vector<double> ceiling = {};   // of each node; below the floor it is the floor; empty: none
  bool is_certain = false;            // all gains are as they were when the flow was
};

struct FlowSolution {
  std::vector<double> total;
  uint32_t recursive_groups = 0;  // in which something flows
};

inline constexpr double kMostGain = 0.95;
inline constexpr double kTrust = 0.9;
inline constexpr double kMostTotal = 1e18;

// Solves one graph for several flows from nowhere. What they share is done once.
class FlowSolver {
 public:
  explicit FlowSolver(FlowProblem problem);

  // With the problem's own flows.
  FlowSolution Solve() const { return Solve(problem_.external); }
  // With these, of each node; empty: nothing.
  FlowSolution Solve(std::span<const double> external) const;

 private:
  class Run;

  // The gains of a group of recursive methods are scaled by this.
  double ScaleOfGains(size_t group) const;

  const FlowProblem problem_;  // bounded numbers; its edges are in cycles_
  CallCycles cycles_;
  std::vector<double> gains_;  // by group: what scales its gains
};

inline FlowSolution SolveFlow(FlowProblem problem) {
  return FlowSolver(std::move(problem)).Solve();
}

}  // namespace iprof
