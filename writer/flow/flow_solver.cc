#include "writer/flow/flow_solver.h"

#include <algorithm>
#include <cmath>

#include "writer/flow/spectral_radius.h"

namespace iprof {
namespace {

constexpr int kMostRounds = 500;
constexpr double kClose = 1e-5;  // relative change at which a group has settled

double Bounded(double value) {
  if (!(value > 0)) return 0;  // also if undefined
  return std::min(value, kMostTotal);
}

// Of a number from 0 to twice kMostTotal. Seven digits are enough here, and take a third of the time.
double Power(double base, double exponent) {
  return std::pow(static_cast<float>(base), static_cast<float>(exponent));
}

std::vector<FlowEdge> UsableEdges(std::vector<FlowEdge> edges, size_t nodes) {
  for (FlowEdge& edge : edges) edge.gain = Bounded(edge.gain);
  std::erase_if(edges, [&](const FlowEdge& edge) {
    return edge.from >= nodes || edge.to >= nodes || edge.gain == 0;
  });
  return edges;
}

}  // namespace

FlowSolver::FlowSolver(FlowProblem problem)
    : floor_(std::move(problem.floor)),
      external_(std::move(problem.external)),
      cycles_(static_cast<uint32_t>(floor_.size()),
              UsableEdges(std::move(problem.edges), floor_.size())) {
  for (double& value : floor_) value = Bounded(value);
  gains_.reserve(cycles_.size());
  for (size_t group = 0; group < cycles_.size(); ++group) gains_.push_back(ScaleOfGains(group));
}

double FlowSolver::ScaleOfGains(size_t group) const {
  const auto inner = cycles_.InnerEdgesOf(group);
  if (inner.empty()) return 1;
  const double radius = SpectralRadius(cycles_.NodesOf(group).size(), inner);
  return radius > kMostGain ? kMostGain / radius : 1;
}

// One solution.
class FlowSolver::Run {
 public:
  Run(const FlowSolver& solver, std::span<const double> external)
      : cycles_(solver.cycles_),
        floor_(solver.floor_),
        gains_(solver.gains_),
        external_(external.begin(), external.end()),
        into_(floor_.size()),
        outside_floor_(floor_.size()) {
    external_.resize(floor_.size());
    for (double& value : external_) value = Bounded(value);
    solution_.total.resize(floor_.size());
    for (size_t n = 0; n < floor_.size(); ++n)
      solution_.total[n] =
          std::max(floor_[n], external_[n]);  // of a node without edges, this is all
  }

  FlowSolution Solve() {
    for (size_t group = 0; group < cycles_.size(); ++group) SolveGroup(group);
    return std::move(solution_);
  }

 private:
  void SolveGroup(size_t group) {
    const auto nodes = cycles_.NodesOf(group);
    if (cycles_.InnerEdgesOf(group).empty()) {
      const uint32_t node = nodes.front();
      solution_.total[node] = Bounded(std::max(floor_[node], external_[node] + into_[node]));
    } else {
      SolveRecursion(group);
    }
    for (const uint32_t node : nodes) {
      for (const FlowEdge& edge : cycles_.OuterEdgesOf(node)) {
        into_[edge.to] = Bounded(into_[edge.to] + solution_.total[node] * edge.gain);
        outside_floor_[edge.to] = Bounded(outside_floor_[edge.to] + floor_[node] * edge.gain);
      }
    }
  }

  void SolveRecursion(size_t group) {
    const auto nodes = cycles_.NodesOf(group);
    const auto edges = cycles_.InnerEdgesOf(group);
    std::vector<FlowEdge> inner(edges.begin(), edges.end());
    for (FlowEdge& edge : inner) edge.gain *= gains_[group];
    // How much more flows into the group than from floors alone.
    double estimated = 0;
    double counted = 0;
    std::vector<double> outside(nodes.size());
    std::vector<double> into_floor(nodes.size());  // what flows in from floors, by the scaled gains
    for (const FlowEdge& edge : inner) into_floor[edge.to] += floor_[nodes[edge.from]] * edge.gain;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const uint32_t node = nodes[i];
      outside[i] = external_[node] + into_[node];
      estimated += outside[i];
      const double outside_floor = external_[node] + outside_floor_[node];
      counted += outside_floor;
      into_floor[i] += outside_floor;
    }
    const double growth = counted > 0 ? Bounded(std::max(1.0, estimated / counted)) : 1.0;
    std::vector<double> anchor(nodes.size());
    std::vector<double> total(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      const uint32_t node = nodes[i];
      anchor[i] = Bounded(std::max(floor_[node], into_floor[i]) * growth);
      total[i] = std::max(floor_[node], anchor[i]);
    }
    Iterate(nodes, inner, outside, anchor, total);
    double sum = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      solution_.total[nodes[i]] = total[i];
      sum += total[i];
    }
    if (sum > 0) ++solution_.recursive_groups;
  }

  void Iterate(std::span<const uint32_t> nodes, const std::vector<FlowEdge>& inner,
               const std::vector<double>& outside, const std::vector<double>& anchor,
               std::vector<double>& total) const {
    std::vector<double> inflow(nodes.size());
    std::vector<double> pull(nodes.size());  // of the anchor
    for (size_t i = 0; i < nodes.size(); ++i) pull[i] = Power(anchor[i], 1 - kTrust);
    for (int round = 0; round < kMostRounds; ++round) {
      inflow = outside;
      for (const FlowEdge& edge : inner)
        inflow[edge.to] = Bounded(inflow[edge.to] + total[edge.from] * edge.gain);
      double change = 0;
      for (size_t i = 0; i < nodes.size(); ++i) {
        // Where neither the method nor its callers were counted, what first flows in is the anchor.
        if (pull[i] == 0) pull[i] = Power(inflow[i], 1 - kTrust);
        const double mean = Power(inflow[i], kTrust) * pull[i];
        const double next = Bounded(std::max(floor_[nodes[i]], mean));
        const double larger = std::max(next, total[i]);
        if (larger > 0) change = std::max(change, std::abs(next - total[i]) / larger);
        total[i] = next;
      }
      if (change < kClose) return;
    }
  }

  const CallCycles& cycles_;
  const std::vector<double>& floor_;
  const std::vector<double>& gains_;  // by group: what scales its gains
  std::vector<double> external_;
  std::vector<double> into_;           // from the groups that are solved,
  std::vector<double> outside_floor_;  // and from their floors alone
  FlowSolution solution_;
};

FlowSolution FlowSolver::Solve(std::span<const double> external) const {
  return Run(*this, external).Solve();
}

}  // namespace iprof
