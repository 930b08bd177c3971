#include "agent/harvest/possible_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace iprof::hotspot {
namespace {

constexpr uint64_t kFewExecutions = 32;  // what is estimated from fewer is doubtful

// All calls and branches of a profile with these scales.
double EventsOf(const HarvestedProgram& program, std::span<const MethodScale> scales) {
  double events = 0;
  for (size_t m = 0; m < scales.size(); ++m) {
    events += static_cast<double>(scales[m].calls);
    double branches = 0;
    for (const HarvestedBranch& branch : program.methods[m].branches)
      branches += static_cast<double>(branch.Total());
    events += branches * scales[m].factor;
  }
  return events;
}

void NoteFewExecutions(const Estimate& estimate, HarvestNote& note) {
  constexpr double kMostOf = 0.9;
  double all = 0;
  double few = 0;
  std::vector<std::pair<uint64_t, uint64_t>> methods;  // calls, executions
  for (size_t m = 0; m < estimate.scales.size(); ++m) {
    const uint64_t calls = estimate.scales[m].calls;
    all += static_cast<double>(calls);
    if (estimate.executions[m] >= kFewExecutions || calls == 0) continue;
    few += static_cast<double>(calls);
    methods.emplace_back(calls, estimate.executions[m]);
  }
  if (methods.empty()) return;
  std::sort(methods.begin(), methods.end(), std::greater<>());
  note.few_permille = static_cast<int64_t>(1000 * few / all);
  note.few_executions = static_cast<int64_t>(methods.front().second);
  double held = 0;
  for (const auto& [calls, executions] : methods) {
    if (held >= kMostOf * few) break;
    held += static_cast<double>(calls);
    ++note.few_methods;
  }
}

}  // namespace

Result<std::vector<MethodScale>> EstimatePossible(const HarvestedProgram& program,
                                                  HarvestNote& note) {
  for (const Growth growth : {Growth::kFull, Growth::kOfMany}) {
    Estimate estimate = EstimateCalls(program, growth);
    if (!note.CanHold(EventsOf(program, estimate.scales))) continue;
    note.estimator = growth == Growth::kFull ? kEstimatorName : kBoundedEstimatorName;
    note.recursive_groups = estimate.recursive_groups;
    NoteFewExecutions(estimate, note);
    return std::move(estimate.scales);
  }
  std::vector<MethodScale> raw = RawScales(program);
  const double events = EventsOf(program, raw);
  if (!note.CanHold(events)) {
    return Status(
        Code::kUnsupported,
        fmt::format("is refused: its counters claim {:.2g} calls and branches in {:.1f} s "
                    "of processor time, which no processor can execute",
                    events, static_cast<double>(note.cpu_ms) / 1000));
  }
  note.estimate_refused = true;
  return raw;
}

std::string DescribeRefusal(const HarvestNote& note) {
  if (note.estimate_refused) {
    return "calls are as HotSpot counted them, because no estimate of them fits into the processor "
           "time of the program; let it work longer, then harvest again";
  }
  if (note.estimator == kBoundedEstimatorName) {
    return "the usual estimate of calls does not fit into the processor time of the program, so "
           "callers of which few entries were counted pass on only what was counted; let it work "
           "longer, then harvest again";
  }
  return {};
}

}  // namespace iprof::hotspot
