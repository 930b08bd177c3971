#include "writer/ops/advice_figures.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "writer/names/jdk_classes.h"
#include "writer/ops/advice.h"
#include "writer/ops/summary.h"
#include "writer/profile/image/sample_split.h"
#include "writer/profile/io/sampling_sum.h"

namespace iprof {

AdviceFigures::AdviceFigures(const Profile& profile)
    : section(AgentSection::Of(profile)), weights(WeightsOfMethods(profile)) {
  RunList list;
  if (const auto part = section.Part(kProvenancePart)) list.AddJson(*part);
  runs = list.Runs();
  older_runs = list.older();
  if (const auto part = section.Part(kHarvestPart)) harvest = HarvestNote::Parse(*part);
  AddWeights(profile);
  AddSamples(profile);
  AddCalls(profile);
}

void AdviceFigures::AddWeights(const Profile& profile) {
  std::unordered_map<uint32_t, bool> of_jdk;  // by type
  const std::set<uint32_t> hot = HottestByWeight(weights);
  hot_methods = hot.size();
  for (const auto& [method, executions] : weights) {
    weight += executions;
    const TypeIndex type = profile.DeclaringType(MethodIndex{method});
    const auto [at, is_new] = of_jdk.try_emplace(static_cast<uint32_t>(type), false);
    if (is_new) at->second = IsJdkClass(profile.TypeName(type));
    if (at->second) jdk_weight += executions;
    if (executions < static_cast<double>(kEnoughExecutions) && hot.contains(method)) ++seldom_run;
  }
}

void AdviceFigures::AddSamples(const Profile& profile) {
  // As a build is given them.
  const std::vector<StackCut> cuts = CutsOfSamples(profile);
  std::unordered_map<uint32_t, int64_t> of_methods;
  int64_t total = 0;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    const StackCut& cut = cuts[static_cast<size_t>(entry)];
    if (cut.empty()) continue;
    ContextIndex context = profile.EntryContext(Table::kSamples, entry);
    for (size_t dropped = 0; dropped < cut.first; ++dropped) context = profile.Caller(context);
    const int64_t weight_of_sample = profile.EntryCount(Table::kSamples, entry);
    int64_t& count = of_methods[static_cast<uint32_t>(profile.InnermostFrame(context).method)];
    count = SaturatingAdd(count, weight_of_sample);
    total = SaturatingAdd(total, weight_of_sample);
  }
  samples = static_cast<double>(total);
  signals = SignalsBehind(total, section.Part(kSamplingPart));
  for (const auto& [method, count] : of_methods) {
    if (count < kEnoughSamplesOfMethod) thin_samples += static_cast<double>(count);
  }
}

void AdviceFigures::AddCalls(const Profile& profile) {
  std::vector<std::pair<double, Sureness>> marked;
  for (const HotMethod& method : CountsOfMethods(profile, Table::kCalls)) {
    const auto count = static_cast<double>(method.count);
    const Sureness sureness = profile.SurenessOf(method.method);
    marked.emplace_back(count, sureness);
    calls += count;
    if (sureness.kind() == Sureness::Kind::kEstimated ||
        sureness.kind() == Sureness::Kind::kGuessed)
      estimated_calls += count;
  }
  doubtful = DoubtfulOf(marked);
  // A harvest of a version without marks.
  if (harvest && !profile.has_sureness()) estimated_calls = calls;
}

int64_t AdviceFigures::RecordedMs() const {
  int64_t sum = 0;
  for (const RunNote& run : runs) sum = SaturatingAdd(sum, std::max<int64_t>(run.recorded_ms, 0));
  return sum;
}

int64_t AdviceFigures::StartingMs() const {
  int64_t sum = 0;
  for (const RunNote& run : runs) {
    if (run.begin == kBeginAtStart)
      sum = SaturatingAdd(sum, std::clamp<int64_t>(run.recorded_ms, 0, kStartUpMs));
  }
  return sum;
}

int64_t AdviceFigures::LossOf(std::string_view name) const {
  int64_t sum = 0;
  for (const RunNote& run : runs) {
    for (const auto& [loss, count] : run.losses) {
      if (loss == name) sum = SaturatingAdd(sum, count);
    }
  }
  return sum;
}

bool AdviceFigures::IsProgramOfJdk() const {
  return std::any_of(runs.begin(), runs.end(), [](const RunNote& run) {
    return !run.program.ends_with(".jar") && IsJdkClass(run.program);
  });
}

}  // namespace iprof
