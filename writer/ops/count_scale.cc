#include "writer/ops/count_scale.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "writer/io/agent_section.h"
#include "writer/io/harvest_note.h"

namespace iprof {
namespace {

__extension__ using Wide = unsigned __int128;

CountKind KindOf(const Profile& profile) {
  const AgentSection section = AgentSection::Of(profile);
  const auto json = section.Part(kHarvestPart);
  if (!json) return CountKind::kExact;
  const std::optional<HarvestNote> note = HarvestNote::Parse(*json);
  if (!note || note->IsMixed()) return CountKind::kMixed;
  return note->estimator == kNoEstimator ? CountKind::kRaw : CountKind::kEstimated;
}

}  // namespace

CountFacts CountFactsOf(const Profile& profile) {
  CountFacts facts;
  facts.total = SaturatingAdd(profile.Total(Table::kCalls), profile.Total(Table::kConditionals));
  if (facts.total > 0) facts.kind = KindOf(profile);
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
  if (!differ) return {};
  std::vector<CountScale> scales(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].kind != CountKind::kNone) scales[i] = {.to = largest, .from = inputs[i].total};
  }
  return scales;
}

}  // namespace iprof
