#include "agent/harvest/harvest_limits.h"

#include <fmt/core.h>

#include <string>

#include "writer/base/grouped.h"

namespace iprof::hotspot {

Status CheckLimits(const HarvestCounts& counts, std::string_view without_profiling) {
  if (counts.method_datas == 0 && without_profiling.empty() && counts.redefined_classes > 0)
    return {
        Code::kNothingYet,
        fmt::format(
            "has no MethodData to harvest: {} changed while it ran (by 'iprof profile', "
            "'iprof refresh' or another agent), and HotSpot then counts their methods "
            "from zero: let it work for a minute under its usual load, then harvest",
            Counted(static_cast<int64_t>(counts.redefined_classes), "class was", "classes were"))};
  if (counts.method_datas == 0) {
    return {Code::kUnsupported,
            without_profiling.empty()
                ? "has no MethodData to harvest: no method of it was called often enough yet"
                : fmt::format("has no MethodData to harvest: it runs without profiling ({})",
                              without_profiling)};
  }
  const std::string example =
      counts.failed_examples.empty() ? std::string("no example") : counts.failed_examples.front();
  if (counts.failed * 100 > counts.method_datas) {
    return {Code::kUnsupported,
            fmt::format("is refused: {} of its {} MethodDatas do not pass the checks, so their "
                        "layout is not known for certain ({})",
                        counts.failed, counts.method_datas, example)};
  }
  if (counts.failed_counts > counts.counts / 1000) {
    return {Code::kUnsupported,
            fmt::format("is refused: MethodDatas that do not pass the checks hold {} of {} counts "
                        "({})",
                        counts.failed_counts, counts.counts, example)};
  }
  return {};
}

}  // namespace iprof::hotspot
