#include "writer/flow/spectral_radius.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "writer/flow/flow_solver.h"

namespace iprof {
namespace {

double RadiusOf(size_t nodes, const std::vector<FlowEdge>& edges) {
  return SpectralRadius(nodes, edges);
}

TEST_CASE("a cycle multiplies by the geometric mean of its gains") {
  CHECK(RadiusOf(1, {{0, 0, 0.5}}) == Approx(0.5));
  CHECK(RadiusOf(2, {{0, 1, 2}, {1, 0, 8}}) == Approx(4));
  CHECK(RadiusOf(3, {{0, 1, 1}, {1, 2, 10}, {2, 0, 100}}) == Approx(10));
}

TEST_CASE("gains that are far apart do not make the radius larger") {
  CHECK(RadiusOf(2, {{0, 1, 1000}, {1, 0, 0.0005}}) == Approx(std::sqrt(0.5)));
  CHECK(RadiusOf(2, {{0, 1, 1e9}, {1, 0, 1e-9}}) == Approx(1));
  // A method that was entered once and looped calls 60,000 times; a callee calls it back, seldom.
  CHECK(RadiusOf(3, {{0, 1, 60'000}, {1, 0, 1e-7}, {1, 2, 0.3}, {2, 1, 0.3}}) ==
        Approx(std::sqrt(0.096)));
}

TEST_CASE("a long cycle of equal gains has their radius") {
  constexpr uint32_t kNodes = 1000;
  std::vector<FlowEdge> edges;
  for (uint32_t n = 0; n < kNodes; ++n) edges.push_back({n, (n + 1) % kNodes, 0.7});
  CHECK(RadiusOf(kNodes, edges) == Approx(0.7));
}

TEST_CASE("the strongest cycle of many decides") {
  constexpr uint32_t kNodes = 300;
  std::vector<FlowEdge> edges;
  for (uint32_t n = 0; n < kNodes; ++n) edges.push_back({n, (n + 1) % kNodes, 0.01});
  edges.push_back({7, 8, 3});
  edges.push_back({8, 7, 3});
  CHECK(RadiusOf(kNodes, edges) == Approx(3).epsilon(0.01));
}

TEST_CASE("the largest and the smallest gains have a finite radius") {
  CHECK(RadiusOf(2, {{0, 1, kMostTotal}, {1, 0, kMostTotal}}) == Approx(kMostTotal));
  for (const double tiny : {5e-324, 1e-320, 1e-300}) {
    const double radius = RadiusOf(2, {{0, 1, tiny}, {1, 0, tiny}});
    CHECK(std::isfinite(radius));
    CHECK(radius <= 1e-200);
    CHECK(std::isfinite(RadiusOf(2, {{0, 1, kMostTotal}, {1, 0, tiny}})));
  }
}

}  // namespace
}  // namespace iprof
