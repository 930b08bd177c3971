#include "agent/plan/branch_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "writer/base/join_text.h"

namespace iprof::instrument {
namespace {

double Sum(std::span<const uint64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0,
                         [](double sum, uint64_t c) { return sum + static_cast<double>(c); });
}

std::string Listed(std::span<const uint64_t> counts) {
  std::vector<std::string> texts;
  for (const uint64_t count : counts) texts.push_back(std::to_string(count));
  return JoinText(texts, ":");
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
    examples.push_back(
        fmt::format("{}: counted {}, derived {}", where, Listed(truth), Listed(written)));
  }
}

}  // namespace iprof::instrument
