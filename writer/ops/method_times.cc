#include "writer/ops/method_times.h"

#include <cmath>
#include <unordered_map>

#include "writer/ops/event_samples.h"
#include "writer/ops/flat_profile.h"
#include "writer/ops/summary.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/sampling_sum.h"

namespace iprof {

std::optional<double> EstimatedTime::error() const {
  const int64_t whole = std::llround(samples);
  if (whole <= 0) return std::nullopt;
  return ErrorOfSamples(whole);
}

std::optional<double> MethodTime::NsPerCall() const {
  if (!calls || *calls <= 0) return std::nullopt;
  return static_cast<double>(total.ns) / static_cast<double>(*calls);
}

SignalRatio SignalRatio::Of(const Profile& profile) {
  const int64_t weight = profile.Total(Table::kSamples);
  return {SignalsBehind(weight, AgentPart(profile, kSamplingPart)), weight};
}

std::optional<MethodTimes> ComputeMethodTimes(const Profile& profile, SignalRatio ratio,
                                              const ProfileFilter& filter) {
  const std::optional<SampleTime> time = SampleTimeOf(profile);
  if (!time) return std::nullopt;
  const auto estimate = [&](int64_t weight) {
    const double share =
        ratio.weight > 0 ? static_cast<double>(weight) / static_cast<double>(ratio.weight) : 0;
    return EstimatedTime{SaturatingMultiply(weight, time->interval_ns),
                         share * static_cast<double>(ratio.signals)};
  };
  std::unordered_map<uint32_t, int64_t> calls;
  for (const HotMethod& method : CountsOfMethods(profile, Table::kCalls))
    calls.emplace(static_cast<uint32_t>(method.method), method.count);
  const Sureness unmarked = SurenessWithoutMark(profile);
  FlatProfile flat = ComputeFlatProfile(profile, FlatKey::kMethod, filter);
  MethodTimes times{time->event, time->interval_ns, estimate(flat.total), !calls.empty(), {}};
  for (FlatRow& row : flat.rows) {
    MethodTime made;
    made.method = row.method;
    made.name = std::move(row.name);
    made.self = estimate(row.self);
    made.total = estimate(row.total);
    const auto found = calls.find(static_cast<uint32_t>(row.method));
    if (found != calls.end()) {
      const Sureness sureness = profile.SurenessOf(row.method);
      made.calls = found->second;
      made.are_calls_counted =
          (sureness.is_present() ? sureness : unmarked).calls() <= Sureness::Bounded();
    }
    times.rows.push_back(std::move(made));
  }
  return times;
}

}  // namespace iprof
