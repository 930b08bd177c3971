#include "cli/views/report/flame_times.h"

#include <iterator>

#include "writer/base/time_period.h"

namespace iprof {

void WriteSeconds(const std::set<uint32_t>& periods, JsonBuilder& json) {
  json.Open('[');
  for (const uint32_t period : periods) json.Int(BeginOf(period));
  const uint32_t last = *periods.rbegin();
  json.Int(last == kLastPeriod ? 0 : BeginOf(last + 1)).Close(']');
}

void WriteTimes(const std::vector<FlameFrame>& frames, const std::set<uint32_t>& periods,
                JsonBuilder& json) {
  const auto number = [&](uint32_t period) {
    return std::distance(periods.begin(), periods.find(period));
  };
  json.Open('[');
  for (const FlameFrame& frame : frames) {
    if (frame.times.size() == 1 && frame.times[0].second == SumOf(frame.weight)) {
      json.Int(number(frame.times[0].first));
      continue;
    }
    json.Open('[');
    for (const auto& [period, weight] : frame.times) json.Int(number(period)).Int(weight);
    json.Close(']');
  }
  json.Close(']');
}

}  // namespace iprof
