#include "agent/plan/branch_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace iprof::instrument {
namespace {

double Sum(std::span<const uint64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0,
                         [](double sum, uint64_t c) { return sum + static_cast<double>(c); });
}

}  // namespace

void BranchCheck::Compare(std::string_view where, std::span<const uint64_t> truth,
                          std::span<const uint64_t> written) {
  constexpr size_t kMostExamples = 20;
  const double executions = Sum(truth);
  if (executions < static_cast<double>(kFewestExecutions)) return;
  ++compared;
  const double sum = std::max(1.0, Sum(written));
  double points = 0;
  bool turned = false;
  for (size_t way = 0; way < truth.size(); ++way) {
    const double share = static_cast<double>(truth[way]) / executions;
    const double said = static_cast<double>(written[way]) / sum;
    points = std::max(points, 100 * std::abs(share - said));
    turned = turned || (share >= 0.7 && said < 0.5);
  }
  largest_points = std::max(largest_points, points);
  if (turned) ++inverted;
  if (points <= 1 && !turned) return;
  ++off;
  if (examples.size() < kMostExamples) {
    examples.push_back(fmt::format("{}: counted {}, derived {}", where, fmt::join(truth, ":"),
                                   fmt::join(written, ":")));
  }
}

}  // namespace iprof::instrument
