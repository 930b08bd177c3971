#include "writer/flow/flow_solver.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace iprof {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST_CASE("a method is entered as often as its callers call it, and at least as often as counted") {
  // main calls work ten times, which calls a leaf 100 times; the compiler stopped counting the leaf.
  const auto solved = SolveFlow(
      {.floor = {1, 5, 300, 7}, .external = {}, .edges = {{0, 1, 10}, {1, 2, 100}, {0, 3, 2}}});
  CHECK(solved.total == std::vector<double>{1, 10, 1000, 7});
  CHECK(solved.recursive_groups == 0);
}

TEST_CASE("external calls flow on") {
  const auto solved = SolveFlow({.floor = {0, 0}, .external = {50, 1}, .edges = {{0, 1, 2}}});
  CHECK(solved.total == std::vector<double>{50, 101});
}

TEST_CASE("recursion with a gain below 1 adds up, and is drawn to what was counted") {
  const auto solved =
      SolveFlow({.floor = {1, 2000}, .external = {}, .edges = {{0, 1, 1000}, {1, 1, 0.5}}});
  CHECK(solved.recursive_groups == 1);
  CHECK(solved.total[1] == Approx(2000).epsilon(0.01));
}

TEST_CASE("a cycle that multiplies stays finite and near its anchor") {
  // Each call of b makes two of c, each of c two of b.
  const auto solved = SolveFlow(
      {.floor = {1, 1000, 1000}, .external = {}, .edges = {{0, 1, 1}, {1, 2, 2}, {2, 1, 2}}});
  for (const double total : solved.total) {
    CHECK(std::isfinite(total));
    CHECK(total < 1e5);
  }
  CHECK(solved.total[1] >= 1000);
  CHECK(solved.total[2] >= 1000);
}

TEST_CASE("a cycle that does not multiply keeps its gains, however far they are apart") {
  // b calls 1,000 times on each entry, and one of 2,000 such calls comes back: 2 entries for each one
  // from outside. The counters of c stopped early.
  const auto solved = SolveFlow({.floor = {1, 1000, 500'000},
                                 .external = {},
                                 .edges = {{0, 1, 1000}, {1, 2, 1000}, {2, 1, 0.0005}}});
  CHECK(solved.total[1] == Approx(2000).epsilon(0.15));
  CHECK(solved.total[2] == Approx(2e6).epsilon(0.2));
}

TEST_CASE("a gain that is far too large does not draw its method up") {
  // 100 entries, each of which calls the method itself 1,000 times.
  const auto solved =
      SolveFlow({.floor = {1, 100}, .external = {}, .edges = {{0, 1, 100}, {1, 1, 1000}}});
  CHECK(solved.total[1] >= 100);
  CHECK(solved.total[1] < 1000);
}

TEST_CASE("recursion without any count passes on what flows in") {
  // 133 and 67 calls, if every other call of b comes from c and the other way round.
  const auto solved = SolveFlow({.floor = {0, 0, 0},
                                 .external = {100, 0, 0},
                                 .edges = {{0, 1, 1}, {1, 2, 0.5}, {2, 1, 0.5}}});
  CHECK(solved.recursive_groups == 1);
  CHECK(solved.total[1] == Approx(133).epsilon(0.1));
  CHECK(solved.total[2] == Approx(67).epsilon(0.15));
}

TEST_CASE("a cycle that multiplies grows as what flows into it") {
  // The driver was counted 100 times and called 3,000 times. Nearly all calls of b and c are those of
  // each other.
  const auto solved = SolveFlow({.floor = {1, 100, 10'000, 10'000},
                                 .external = {},
                                 .edges = {{0, 1, 3000}, {1, 2, 1}, {2, 3, 2}, {3, 2, 2}}});
  CHECK(solved.total[1] == 3000);
  for (const uint32_t n : {2U, 3U}) {
    CHECK(solved.total[n] > 15 * 10'000);
    CHECK(solved.total[n] < 45 * 10'000);
  }
}

TEST_CASE(
    "nothing flows into a method that was counted whenever it ran, and it calls on as counted") {
  // main calls f 1,000 times; f was counted 120 times, and calls g twice.
  FlowProblem problem{.floor = {1, 120, 0}, .external = {}, .edges = {{0, 1, 1000}, {1, 2, 2}}};
  problem.ceiling = {kMostTotal, 120, kMostTotal};
  CHECK(SolveFlow(problem).total == std::vector<double>{1, 120, 240});
  // A ceiling that is no floor, and one below the floor.
  problem.ceiling = {kMostTotal, 500, 100};
  problem.floor[2] = 150;
  CHECK(SolveFlow(problem).total == std::vector<double>{1, 500, 150});
  // In recursion, too: f calls itself.
  problem = {.floor = {1, 100}, .external = {}, .edges = {{0, 1, 1000}, {1, 1, 0.9}}};
  problem.ceiling = {kMostTotal, 700};
  CHECK(SolveFlow(problem).total == std::vector<double>{1, 700});
}

TEST_CASE("where gains are certain, recursion adds up, and nothing is drawn to a count") {
  // Half of the entries of f come from f itself, and a third of those of g by way of h.
  FlowProblem problem{.floor = {0, 0, 0},
                      .external = {10, 20, 0},
                      .edges = {{0, 0, 0.5}, {1, 2, 1. / 3}, {2, 1, 1}},
                      .is_certain = true};
  const auto solved = SolveFlow(problem);
  CHECK(solved.total[0] == Approx(20).epsilon(1e-5));
  CHECK(solved.total[1] == Approx(30).epsilon(1e-5));
  CHECK(solved.total[2] == Approx(10).epsilon(1e-5));
  CHECK(solved.recursive_groups == 2);
  // Nearly all come back, so that steps alone would take tens of thousands of rounds.
  problem.edges = {{0, 0, 0.9999}, {1, 2, 0.9999}, {2, 1, 0.9999}};
  const auto long_way = SolveFlow(problem);
  CHECK(long_way.total[0] == Approx(1e5).epsilon(1e-3));
  CHECK(long_way.total[1] == Approx(20 / (1 - 0.9999 * 0.9999)).epsilon(1e-3));
}

TEST_CASE("a certain cycle that multiplies ends at its ceiling, and one without inflow is empty") {
  FlowProblem problem{.floor = {0, 0},
                      .external = {1, 0},
                      .edges = {{0, 1, 2}, {1, 0, 2}},
                      .ceiling = {1000, 1500},
                      .is_certain = true};
  CHECK(SolveFlow(problem).total == std::vector<double>{1000, 1500});
  problem.external = {0, 0};
  CHECK(SolveFlow(problem).total == std::vector<double>{0, 0});
}

TEST_CASE("only entries beyond those that were counted call on, if their calls are taken off") {
  // 40 of 100 entries of f were counted, and their 80 calls of g, too. Each entry calls g twice.
  const FlowProblem problem{
      .floor = {40, 0}, .external = {100, 80 - 40 * 2}, .edges = {{0, 1, 2}}, .is_certain = true};
  CHECK(SolveFlow(problem).total == std::vector<double>{100, 200});
  // More was taken off than flows in.
  CHECK(SolveFlow({.floor = {40, 3}, .external = {40, -90}, .edges = {{0, 1, 2}}}).total ==
        std::vector<double>{40, 3});
}

TEST_CASE("any numbers give finite totals") {
  std::mt19937 random(1);
  const double kinds[] = {0, 1, -1, 1e300, kInfinite, -kInfinite, std::nan(""), 0.5, 1e-300, 3};
  for (int run = 0; run < 300; ++run) {
    FlowProblem problem;
    const auto nodes = static_cast<uint32_t>(1 + random() % 12);
    for (uint32_t n = 0; n < nodes; ++n) {
      problem.floor.push_back(kinds[random() % std::size(kinds)]);
      problem.external.push_back(kinds[random() % std::size(kinds)]);
    }
    for (uint32_t e = 0; e < 3 * nodes; ++e) {
      const uint32_t beyond = nodes + 1;  // some edges lead nowhere
      problem.edges.push_back({static_cast<uint32_t>(random() % beyond),
                               static_cast<uint32_t>(random() % beyond),
                               kinds[random() % std::size(kinds)]});
    }
    problem.is_certain = run % 2 == 1;
    if (run % 3 == 0) {
      for (uint32_t n = 0; n < nodes; ++n)
        problem.ceiling.push_back(kinds[random() % std::size(kinds)]);
    }
    const auto solved = SolveFlow(problem);
    REQUIRE(solved.total.size() == nodes);
    for (uint32_t n = 0; n < nodes; ++n) {
      INFO("run " << run << " node " << n);
      CHECK(std::isfinite(solved.total[n]));
      CHECK(solved.total[n] <= kMostTotal);
      if (problem.floor[n] > 0) CHECK(solved.total[n] >= std::min(problem.floor[n], kMostTotal));
    }
  }
}

TEST_CASE("the order of methods makes no difference") {
  std::mt19937 random(7);
  for (int run = 0; run < 100; ++run) {
    const uint32_t nodes = 20;
    const bool is_far_apart = run % 2 == 1;  // gains from 1e-5 to 1e5
    FlowProblem problem;
    for (uint32_t n = 0; n < nodes; ++n)
      problem.floor.push_back(static_cast<double>(random() % 1000));
    for (uint32_t e = 0; e < 60; ++e) {
      problem.edges.push_back({static_cast<uint32_t>(random() % nodes),
                               static_cast<uint32_t>(random() % nodes),
                               is_far_apart ? std::pow(10, static_cast<double>(random() % 11) - 5)
                                            : static_cast<double>(random() % 100) / 40});
    }
    std::vector<uint32_t> place(nodes);
    std::iota(place.begin(), place.end(), 0U);
    std::shuffle(place.begin(), place.end(), random);
    FlowProblem other;
    other.floor.resize(nodes);
    for (uint32_t n = 0; n < nodes; ++n) other.floor[place[n]] = problem.floor[n];
    for (const FlowEdge& edge : problem.edges)
      other.edges.push_back({place[edge.from], place[edge.to], edge.gain});
    std::shuffle(other.edges.begin(), other.edges.end(), random);
    const auto one = SolveFlow(problem);
    const auto two = SolveFlow(other);
    for (uint32_t n = 0; n < nodes; ++n)
      CHECK(one.total[n] == Approx(two.total[place[n]]).epsilon(is_far_apart ? 1e-4 : 1e-6));
    CHECK(one.recursive_groups == two.recursive_groups);
  }
}

}  // namespace
}  // namespace iprof
