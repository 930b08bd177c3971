// The solver with certain gains finds what SettleUncounted finds, or what is nearer to the truth.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "writer/flow/flow_solver.h"
#include "writer/flow/uncounted_flow.h"

namespace iprof {
namespace {

// The same problem without growth from outside.
FlowProblem SameOf(const UncountedFlow& flow) {
  FlowProblem problem{.is_certain = true};
  for (const UncountedMethod& method : flow.methods) {
    problem.floor.push_back(method.counted);
    problem.external.push_back(method.explained);
    problem.ceiling.push_back(method.is_settled ? method.counted
                                                : std::max(method.explained, method.most));
  }
  problem.edges = flow.edges;
  for (const FlowEdge& edge : flow.edges)
    problem.external[edge.to] -= edge.gain * flow.methods[edge.from].counted;
  return problem;
}

// By brute force, from below.
std::vector<double> Truth(const FlowProblem& problem) {
  std::vector<double> total = problem.floor;
  for (int round = 0; round < 200'000; ++round) {
    std::vector<double> inflow = problem.external;
    for (const FlowEdge& edge : problem.edges) inflow[edge.to] += total[edge.from] * edge.gain;
    double change = 0;
    for (size_t n = 0; n < total.size(); ++n) {
      const double next = std::min(std::max(inflow[n], problem.floor[n]),
                                   std::max(problem.ceiling[n], problem.floor[n]));
      change = std::max(change, std::abs(next - total[n]) / std::max(next, 1.0));
      total[n] = next;
    }
    if (change < 1e-12) break;
  }
  return total;
}

double ErrorOf(const std::vector<double>& found, const std::vector<double>& truth) {
  double error = 0;
  for (size_t n = 0; n < truth.size(); ++n)
    error = std::max(error, std::abs(found[n] - truth[n]) / std::max(truth[n], 1.0));
  return error;
}

TEST_CASE("the solver is as near to the truth as the one for uncounted methods") {
  std::mt19937 random(3);
  double worst_old = 0;
  double worst_new = 0;
  for (int run = 0; run < 2000; ++run) {
    UncountedFlow flow;
    const auto nodes = static_cast<uint32_t>(2 + random() % 30);
    const double most_gain = run % 3 == 0 ? 2.0 : run % 3 == 1 ? 1.0 : 0.4;
    for (uint32_t n = 0; n < nodes; ++n) {
      flow.methods.push_back({.is_settled = random() % 8 == 0,
                              .counted = static_cast<double>(random() % 3 * (random() % 100)),
                              .explained = static_cast<double>(random() % 10'000),
                              .most = 1e6});
    }
    for (uint32_t e = 0; e < 2 * nodes; ++e) {
      flow.edges.push_back({static_cast<uint32_t>(random() % nodes),
                            static_cast<uint32_t>(random() % nodes),
                            most_gain * static_cast<double>(random() % 1000) / 1000});
    }
    const FlowProblem problem = SameOf(flow);
    const std::vector<double> truth = Truth(problem);
    const double error_new = ErrorOf(SolveFlow(problem).total, truth);
    const double error_old = ErrorOf(SettleUncounted(flow), truth);
    INFO("run " << run << ", error " << error_new << " and " << error_old);
    CHECK(error_new <= std::max(error_old, 1e-4));
    worst_old = std::max(worst_old, error_old);
    worst_new = std::max(worst_new, error_new);
  }
  INFO("worst: " << worst_new << " and " << worst_old);
  CHECK(worst_new <= 1e-4);
}

}  // namespace
}  // namespace iprof
