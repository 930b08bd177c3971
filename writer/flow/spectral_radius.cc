#include "writer/flow/spectral_radius.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace iprof {
namespace {

constexpr int kMostRounds = 200;
constexpr int kFewestRounds = 20;
constexpr double kClose = 1e-6;  // relative change at which the radius has settled

}  // namespace

double SpectralRadius(size_t nodes, std::span<const FlowEdge> edges) {
  if (nodes == 1) {  // most groups are one method that calls itself
    return std::accumulate(edges.begin(), edges.end(), 0.0,
                           [](double sum, const FlowEdge& edge) { return sum + edge.gain; });
  }
  std::vector<double> at(nodes, 1);  // its sum stays `nodes`
  std::vector<double> next(nodes);
  double radius = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    std::fill(next.begin(), next.end(), 0.0);
    for (const FlowEdge& edge : edges) next[edge.to] += at[edge.from] * edge.gain;
    double flow = 0;
    for (const double value : next) flow += value;
    const double before = radius;
    radius = flow / static_cast<double>(nodes);
    if (!(radius > 0)) return before;  // gains near the smallest number
    if (round >= kFewestRounds && std::abs(radius - before) <= kClose * radius) break;
    for (size_t i = 0; i < nodes; ++i) at[i] = (next[i] / radius + at[i]) / 2;
  }
  return radius;
}

}  // namespace iprof
