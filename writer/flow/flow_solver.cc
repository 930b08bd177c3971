#include "writer/flow/flow_solver.h"

#include <algorithm>
#include <cmath>

#include "writer/flow/spectral_radius.h"

namespace iprof {
namespace {

constexpr int kMostRounds = 500;
constexpr double kClose = 1e-5;  // relative change at which a group has settled
// In a group whose gains are certain, each round follows the calls one step. So that thousands of steps take few rounds,
// each kLeap rounds the totals leap to where their growth leads.
constexpr int kMostCertainRounds = 2000;
constexpr int kLeap = 32;
constexpr double kCertainlyClose = 1e-7;

double Bounded(double value) {
  if (!(value > 0)) return 0;  // also if undefined
  return std::min(value, kMostTotal);
}

double Signed(double value) { return value < 0 ? -Bounded(-value) : Bounded(value); }

// Of a number from 0 to twice kMostTotal. Seven digits are enough here, and take a third of the time.
double Power(double base, double exponent) {
  return std::pow(static_cast<float>(base), static_cast<float>(exponent));
}

// Without edges that nothing flows along: into an exact node, or to or from none.
FlowProblem Normalized(FlowProblem problem) {
  const size_t nodes = problem.floor.size();
  problem.ceiling.resize(nodes, kMostTotal);
  for (size_t n = 0; n < nodes; ++n) {
    problem.floor[n] = Bounded(problem.floor[n]);
    problem.ceiling[n] = std::max(problem.floor[n], Bounded(problem.ceiling[n]));
  }
  for (FlowEdge& edge : problem.edges) edge.gain = Bounded(edge.gain);
  std::erase_if(problem.edges, [&](const FlowEdge& edge) {
    return edge.from >= nodes || edge.to >= nodes || edge.gain == 0 ||
           problem.floor[edge.to] == problem.ceiling[edge.to];
  });
  return problem;
}

}  // namespace

FlowSolver::FlowSolver(FlowProblem problem)
    : problem_(Normalized(std::move(problem))),
      cycles_(static_cast<uint32_t>(problem_.floor.size()), problem_.edges) {
  gains_.reserve(cycles_.size());
  for (size_t group = 0; group < cycles_.size(); ++group) gains_.push_back(ScaleOfGains(group));
}

double FlowSolver::ScaleOfGains(size_t group) const {
  const auto inner = cycles_.InnerEdgesOf(group);
  if (inner.empty() || problem_.is_certain) return 1;
  const double radius = SpectralRadius(cycles_.NodesOf(group).size(), inner);
  return radius > kMostGain ? kMostGain / radius : 1;
}

// One solution.
class FlowSolver::Run {
 public:
  Run(const FlowSolver& solver, std::span<const double> external)
      : cycles_(solver.cycles_),
        floor_(solver.problem_.floor),
        ceiling_(solver.problem_.ceiling),
        is_certain_(solver.problem_.is_certain),
        gains_(solver.gains_),
        external_(external.begin(), external.end()),
        into_(floor_.size()),
        outside_floor_(floor_.size()) {
    external_.resize(floor_.size());
    for (double& value : external_) value = Signed(value);
    solution_.total.reserve(floor_.size());
    for (size_t n = 0; n < floor_.size(); ++n)
      solution_.total.push_back(Clamped(n, external_[n]));  // of a node without edges, this is all
  }

  FlowSolution Solve() {
    for (size_t group = 0; group < cycles_.size(); ++group) SolveGroup(group);
    return std::move(solution_);
  }

 private:
  double Clamped(size_t node, double inflow) const {
    return std::min(std::max(inflow, floor_[node]), ceiling_[node]);
  }

  void SolveGroup(size_t group) {
    const auto nodes = cycles_.NodesOf(group);
    if (cycles_.InnerEdgesOf(group).empty()) {
      const uint32_t node = nodes.front();
      solution_.total[node] = Clamped(node, external_[node] + into_[node]);
    } else if (is_certain_) {
      SolveCertain(group);
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

  void SetTotals(std::span<const uint32_t> nodes, const std::vector<double>& total) {
    double sum = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      solution_.total[nodes[i]] = total[i];
      sum += total[i];
    }
    if (sum > 0) ++solution_.recursive_groups;
  }

  // From below, so that a cycle holds no more than flows into it.
  void SolveCertain(size_t group) {
    const auto nodes = cycles_.NodesOf(group);
    std::vector<double> outside;
    std::vector<double> total;
    for (const uint32_t node : nodes) {
      outside.push_back(external_[node] + into_[node]);
      total.push_back(floor_[node]);
    }
    std::vector<double> before = total;        // at the last leap
    std::vector<double> growth(nodes.size());  // between the last two
    for (int round = 1; round <= kMostCertainRounds; ++round) {
      if (Step(nodes, cycles_.InnerEdgesOf(group), outside, total) < kCertainlyClose) break;
      if (round % kLeap == 0) Leap(nodes, before, growth, total);
    }
    SetTotals(nodes, total);
  }

  // Follows all calls one step; returns the largest relative change.
  double Step(std::span<const uint32_t> nodes, std::span<const FlowEdge> inner,
              const std::vector<double>& outside, std::vector<double>& total) const {
    std::vector<double> inflow = outside;
    for (const FlowEdge& edge : inner) inflow[edge.to] += total[edge.from] * edge.gain;
    double change = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const double next = Clamped(nodes[i], inflow[i]);
      const double larger = std::max(next, total[i]);
      if (larger > 0) change = std::max(change, std::abs(next - total[i]) / larger);
      total[i] = next;
    }
    return change;
  }

  // To where totals lead whose growth is a geometric series.
  void Leap(std::span<const uint32_t> nodes, std::vector<double>& before,
            std::vector<double>& growth, std::vector<double>& total) const {
    for (size_t i = 0; i < nodes.size(); ++i) {
      const double grown = total[i] - before[i];
      if (grown > 0 && growth[i] > grown)
        total[i] = Clamped(nodes[i], total[i] + grown * grown / (growth[i] - grown));
      growth[i] = grown;
      before[i] = total[i];
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
      outside[i] = std::max(external_[node] + into_[node], 0.0);
      estimated += outside[i];
      const double outside_floor = std::max(external_[node] + outside_floor_[node], 0.0);
      counted += outside_floor;
      into_floor[i] += outside_floor;
    }
    const double growth = counted > 0 ? Bounded(std::max(1.0, estimated / counted)) : 1.0;
    std::vector<double> anchor(nodes.size());
    std::vector<double> total(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      const uint32_t node = nodes[i];
      anchor[i] = Bounded(std::max(floor_[node], into_floor[i]) * growth);
      total[i] = Clamped(node, anchor[i]);
    }
    Iterate(nodes, inner, outside, anchor, total);
    SetTotals(nodes, total);
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
        const double next = Clamped(nodes[i], mean);
        const double larger = std::max(next, total[i]);
        if (larger > 0) change = std::max(change, std::abs(next - total[i]) / larger);
        total[i] = next;
      }
      if (change < kClose) return;
    }
  }

  const CallCycles& cycles_;
  const std::vector<double>& floor_;
  const std::vector<double>& ceiling_;
  const bool is_certain_;
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
