#include "agent/harvest/possible_estimate.h"

#include <fmt/core.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace iprof::hotspot {
namespace {

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

}  // namespace

Result<std::vector<MethodScale>> EstimatePossible(const HarvestedProgram& program,
                                                  HarvestNote& note) {
  for (const Growth growth : {Growth::kFull, Growth::kOfMany}) {
    Estimate estimate = EstimateCalls(program, growth);
    if (!note.CanHold(EventsOf(program, estimate.scales))) continue;
    note.estimator = growth == Growth::kFull ? kEstimatorName : kBoundedEstimatorName;
    note.recursive_groups = estimate.recursive_groups;
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
