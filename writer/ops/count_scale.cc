#include "writer/ops/count_scale.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/sampling_sum.h"

namespace iprof {
namespace {

constexpr unsigned kNsPerUs = 1000;
// Chance makes the weights of samples differ more, also in a profile of 5,000 of them.
constexpr int64_t kMostPercentApart = 5;

__extension__ using Wide = unsigned __int128;

CountKind KindOf(const Profile& profile) {
  const AgentSection section = AgentSection::Of(profile);
  const auto json = section.Part(kHarvestPart);
  if (!json) return CountKind::kExact;
  const std::optional<HarvestNote> note = HarvestNote::Parse(*json);
  if (!note || note->IsMixed()) return CountKind::kMixed;
  return note->estimator == kNoEstimator ? CountKind::kRaw : CountKind::kEstimated;
}

SampleFacts SampleFactsOf(const Profile& profile) {
  SampleFacts facts{.weight = profile.Total(Table::kSamples)};
  const AgentSection section = AgentSection::Of(profile);
  const auto json = section.Part(kSamplingPart);
  const auto sampling = json ? SamplingSum::Parse(*json) : std::nullopt;
  if (!sampling) return facts;
  std::tie(facts.event, facts.interval_ns) = sampling->Kind();
  facts.signals = SignalsBehind(facts.weight, json);
  return facts;
}

bool HasInterval(const SampleFacts& samples) {
  return !samples.event.empty() && samples.interval_ns > 0;
}

bool HasTime(const SampleFacts& samples) {
  return HasInterval(samples) && samples.weight > 0 && samples.signals > 0;
}

}  // namespace

CountFacts CountFactsOf(const Profile& profile) {
  CountFacts facts;
  facts.total = SaturatingAdd(profile.Total(Table::kCalls), profile.Total(Table::kConditionals));
  if (facts.total > 0) facts.kind = KindOf(profile);
  facts.samples = SampleFactsOf(profile);
  return facts;
}

int64_t CountScale::Of(Table table, int64_t count) const {
  if (to == from || count <= 0 || table == Table::kSamples || table == Table::kMonitors)
    return count;
  const auto divisor = static_cast<Wide>(from);
  const Wide scaled = (static_cast<Wide>(count) * static_cast<Wide>(to) + divisor / 2) / divisor;
  constexpr Wide kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp<Wide>(scaled, 1, kMost));
}

bool AlikeIntervals(int64_t shortest_ns, int64_t longest_ns) {
  return static_cast<Wide>(longest_ns - shortest_ns) * 100 <=
         static_cast<Wide>(shortest_ns) * static_cast<Wide>(kMostPercentApart);
}

// In whole numbers, so that the order of the inputs does not matter.
int64_t SampleUnit(std::span<const CountFacts> inputs) {
  const SampleFacts* first = nullptr;
  int64_t shortest_ns = 0;
  int64_t longest_ns = 0;
  Wide time_us = 0;
  Wide weighted = 0;
  for (const CountFacts& input : inputs) {
    const SampleFacts& samples = input.samples;
    if (!HasInterval(samples)) continue;
    if (first == nullptr) {
      first = &samples;
      shortest_ns = longest_ns = samples.interval_ns;
    }
    if (samples.event != first->event) return 0;
    shortest_ns = std::min(shortest_ns, samples.interval_ns);
    longest_ns = std::max(longest_ns, samples.interval_ns);
    if (!HasTime(samples)) continue;
    const Wide of_input_ns =
        static_cast<Wide>(samples.weight) * static_cast<Wide>(samples.interval_ns);
    const Wide of_copies_us = static_cast<Wide>(input.copies) * (of_input_ns / kNsPerUs);
    time_us += of_copies_us;
    weighted += of_copies_us * (of_input_ns / static_cast<Wide>(samples.signals));
  }
  if (AlikeIntervals(shortest_ns, longest_ns)) return 0;
  if (time_us == 0) return first->interval_ns;
  return std::max<int64_t>(1, static_cast<int64_t>(weighted / time_us));
}

CountScale ScaleToUnit(const CountFacts& input, int64_t unit_ns) {
  if (unit_ns == 0 || !HasInterval(input.samples)) return {};
  return {.sample_ns = input.samples.interval_ns, .sample_unit_ns = unit_ns};
}

std::vector<CountScale> ScalesFor(std::span<const CountFacts> inputs) {
  CountKind kind = CountKind::kNone;
  int64_t largest = 0;
  bool differ = false;
  for (const CountFacts& input : inputs) {
    if (input.kind == CountKind::kNone) continue;
    differ |= kind != CountKind::kNone && kind != input.kind;
    kind = input.kind;
    largest = std::max(largest, input.total);
  }
  const int64_t unit_ns = SampleUnit(inputs);
  if (!differ && unit_ns == 0) return {};
  std::vector<CountScale> scales(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    scales[i] = ScaleToUnit(inputs[i], unit_ns);
    if (!differ || inputs[i].kind == CountKind::kNone) continue;
    scales[i].to = largest;
    scales[i].from = inputs[i].total;
  }
  return scales;
}

}  // namespace iprof
