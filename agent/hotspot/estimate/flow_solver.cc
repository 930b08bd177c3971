#include "agent/hotspot/estimate/flow_solver.h"

#include <algorithm>
#include <cmath>

#include "agent/hotspot/estimate/spectral_radius.h"

namespace iprof::hotspot {
namespace {

constexpr int kMostRounds = 500;
constexpr double kClose = 1e-7;  // relative change at which a group has settled

double Bounded(double value) {
  if (!(value > 0)) return 0;  // also if undefined
  return std::min(value, kMostTotal);
}

// The strongly connected components, callees before callers (Tarjan's algorithm without recursion).
class Components {
 public:
  Components(uint32_t nodes, const std::vector<FlowEdge>& edges, const std::vector<uint32_t>& first)
      : edges_(edges), first_(first), index_(nodes, kNew), low_(nodes), of_(nodes, kNew) {
    for (uint32_t n = 0; n < nodes; ++n) {
      if (index_[n] == kNew) Visit(n);
    }
  }

  const std::vector<std::vector<uint32_t>>& all() const { return all_; }
  uint32_t Of(uint32_t node) const { return of_[node]; }

 private:
  static constexpr uint32_t kNew = UINT32_MAX;
  struct Step {
    uint32_t node;
    uint32_t next_edge;
  };

  void Visit(uint32_t root) {
    std::vector<Step> steps{{root, first_[root]}};
    Enter(root);
    while (!steps.empty()) {
      Step& step = steps.back();
      const uint32_t node = step.node;
      if (step.next_edge < first_[node + 1]) {
        const uint32_t to = edges_[step.next_edge++].to;
        if (index_[to] == kNew) {
          Enter(to);
          steps.push_back({to, first_[to]});
        } else if (of_[to] == kNew) {
          low_[node] = std::min(low_[node], index_[to]);
        }
        continue;
      }
      steps.pop_back();
      if (!steps.empty()) low_[steps.back().node] = std::min(low_[steps.back().node], low_[node]);
      if (low_[node] == index_[node]) Close(node);
    }
  }

  void Enter(uint32_t node) {
    index_[node] = low_[node] = count_++;
    open_.push_back(node);
  }

  void Close(uint32_t node) {
    std::vector<uint32_t> component;
    while (true) {
      const uint32_t member = open_.back();
      open_.pop_back();
      of_[member] = static_cast<uint32_t>(all_.size());
      component.push_back(member);
      if (member == node) break;
    }
    std::sort(component.begin(), component.end());
    all_.push_back(std::move(component));
  }

  const std::vector<FlowEdge>& edges_;
  const std::vector<uint32_t>& first_;
  std::vector<uint32_t> index_, low_, of_, open_;
  std::vector<std::vector<uint32_t>> all_;
  uint32_t count_ = 0;
};

class Solver {
 public:
  explicit Solver(FlowProblem problem)
      : floor_(std::move(problem.floor)),
        external_(std::move(problem.external)),
        edges_(std::move(problem.edges)) {
    external_.resize(floor_.size());
    for (double& value : floor_) value = Bounded(value);
    for (double& value : external_) value = Bounded(value);
    for (FlowEdge& edge : edges_) edge.gain = Bounded(edge.gain);
    const auto nodes = static_cast<uint32_t>(floor_.size());
    std::erase_if(edges_, [&](const FlowEdge& edge) {
      return edge.from >= nodes || edge.to >= nodes || edge.gain == 0;
    });
    std::sort(edges_.begin(), edges_.end(), [](const FlowEdge& a, const FlowEdge& b) {
      if (a.from != b.from) return a.from < b.from;
      return a.to != b.to ? a.to < b.to : a.gain < b.gain;
    });
    first_.assign(nodes + 1, 0);
    for (const FlowEdge& edge : edges_) ++first_[edge.from + 1];
    for (uint32_t n = 0; n < nodes; ++n) first_[n + 1] += first_[n];
    into_.assign(nodes, 0);
    outside_floor_.assign(nodes, 0);
    solution_.total.assign(nodes, 0);
  }

  FlowSolution Run() {
    const Components components(static_cast<uint32_t>(floor_.size()), edges_, first_);
    // Tarjan's order is callees first.
    for (size_t c = components.all().size(); c-- > 0;) SolveGroup(components, c);
    return std::move(solution_);
  }

 private:
  void SolveGroup(const Components& components, size_t c) {
    const std::vector<uint32_t>& group = components.all()[c];
    std::vector<FlowEdge> inner;
    for (const uint32_t node : group) {
      for (uint32_t e = first_[node]; e < first_[node + 1]; ++e) {
        if (components.Of(edges_[e].to) == c) inner.push_back(edges_[e]);
      }
    }
    if (inner.empty()) {
      const uint32_t node = group.front();
      solution_.total[node] = Bounded(std::max(floor_[node], external_[node] + into_[node]));
    } else {
      SolveRecursion(group, inner);
    }
    for (const uint32_t node : group) {
      for (uint32_t e = first_[node]; e < first_[node + 1]; ++e) {
        const FlowEdge& edge = edges_[e];
        if (components.Of(edge.to) == c) continue;
        into_[edge.to] = Bounded(into_[edge.to] + solution_.total[node] * edge.gain);
        outside_floor_[edge.to] = Bounded(outside_floor_[edge.to] + floor_[node] * edge.gain);
      }
    }
  }

  void SolveRecursion(const std::vector<uint32_t>& group, std::vector<FlowEdge>& inner) {
    const auto local = [&](uint32_t node) {
      return static_cast<size_t>(std::lower_bound(group.begin(), group.end(), node) -
                                 group.begin());
    };
    for (FlowEdge& edge : inner) {
      edge.from = static_cast<uint32_t>(local(edge.from));
      edge.to = static_cast<uint32_t>(local(edge.to));
    }
    const double radius = SpectralRadius(group.size(), inner);
    if (radius > kMostGain) {
      for (FlowEdge& edge : inner) edge.gain *= kMostGain / radius;
    }
    // How much more flows into the group than from floors alone.
    double estimated = 0;
    double counted = 0;
    std::vector<double> outside(group.size());
    std::vector<double> into_floor(group.size());  // what flows in from floors, by the scaled gains
    for (const FlowEdge& edge : inner) into_floor[edge.to] += floor_[group[edge.from]] * edge.gain;
    for (size_t i = 0; i < group.size(); ++i) {
      const uint32_t node = group[i];
      outside[i] = external_[node] + into_[node];
      estimated += outside[i];
      const double outside_floor = external_[node] + outside_floor_[node];
      counted += outside_floor;
      into_floor[i] += outside_floor;
    }
    const double growth = counted > 0 ? Bounded(std::max(1.0, estimated / counted)) : 1.0;
    std::vector<double> anchor(group.size());
    std::vector<double> total(group.size());
    for (size_t i = 0; i < group.size(); ++i) {
      const uint32_t node = group[i];
      anchor[i] = Bounded(std::max(floor_[node], into_floor[i]) * growth);
      total[i] = std::max(floor_[node], anchor[i]);
    }
    Iterate(group, inner, outside, anchor, total);
    double sum = 0;
    for (size_t i = 0; i < group.size(); ++i) {
      solution_.total[group[i]] = total[i];
      sum += total[i];
    }
    if (sum > 0) ++solution_.recursive_groups;
  }

  void Iterate(const std::vector<uint32_t>& group, const std::vector<FlowEdge>& inner,
               const std::vector<double>& outside, const std::vector<double>& anchor,
               std::vector<double>& total) const {
    std::vector<double> inflow(group.size());
    std::vector<double> pull(group.size());  // of the anchor
    for (size_t i = 0; i < group.size(); ++i) pull[i] = std::pow(anchor[i], 1 - kTrust);
    for (int round = 0; round < kMostRounds; ++round) {
      inflow = outside;
      for (const FlowEdge& edge : inner)
        inflow[edge.to] = Bounded(inflow[edge.to] + total[edge.from] * edge.gain);
      double change = 0;
      for (size_t i = 0; i < group.size(); ++i) {
        // Where neither the method nor its callers were counted, what first flows in is the anchor.
        if (pull[i] == 0) pull[i] = std::pow(inflow[i], 1 - kTrust);
        const double mean = std::pow(inflow[i], kTrust) * pull[i];
        const double next = Bounded(std::max(floor_[group[i]], mean));
        const double larger = std::max(next, total[i]);
        if (larger > 0) change = std::max(change, std::abs(next - total[i]) / larger);
        total[i] = next;
      }
      if (change < kClose) return;
    }
  }

  std::vector<double> floor_, external_;
  std::vector<FlowEdge> edges_;        // by from
  std::vector<uint32_t> first_;        // of each node, in edges_
  std::vector<double> into_;           // from the groups that are solved,
  std::vector<double> outside_floor_;  // and from their floors alone
  FlowSolution solution_;
};

}  // namespace

FlowSolution SolveFlow(FlowProblem problem) { return Solver(std::move(problem)).Run(); }

}  // namespace iprof::hotspot
