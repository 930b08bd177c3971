#include "writer/ops/merge_extras.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "writer/profile/image/sample_split.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/part_rules.h"
#include "writer/profile/io/position_part.h"
#include "writer/profile/io/source_lines.h"
#include "writer/profile/io/split_part.h"

namespace iprof {
namespace {

std::string PartKey(std::string_view part) {
  return std::string(kAgentKey) + "." + std::string(part);
}

bool HasEntries(const Profile& profile) {
  return std::ranges::any_of(kAllTables,
                             [&](Table table) { return profile.entry_count(table) > 0; });
}

// What says how heavy an input is (method_versions.h).
int64_t CountsIn(const Profile& input, int64_t weight, CountScale scale) {
  int64_t counts = 0;
  for (const Table table : kAllTables) {
    if (!IsOfMethod(table)) continue;
    const int64_t scaled = scale.Of(table, input.Total(table));
    counts = SaturatingAdd(counts, SaturatingMultiply(scaled, weight));
  }
  return counts;
}

using SamplingByKind = std::map<std::pair<std::string, int64_t>, SamplingSum>;

int64_t IntervalOf(const SamplingByKind::value_type& sampling) { return sampling.first.second; }

// The time that a sample of all stands for: the mean, by their weights in the profiles. `all` has one at least.
int64_t MeanInterval(std::span<const SamplingByKind::value_type* const> all) {
  __extension__ using Wide = unsigned __int128;
  Wide weights = 0;
  Wide time_ns = 0;
  for (const auto* sampling : all) {
    const auto weight = static_cast<Wide>(sampling->second.Number("writtenWeight"));
    weights += weight;
    time_ns += weight * static_cast<Wide>(IntervalOf(*sampling));
  }
  return weights == 0 ? IntervalOf(*all.front()) : static_cast<int64_t>(time_ns / weights);
}

SamplingSum SumOf(std::span<const SamplingByKind::value_type* const> all) {
  const int64_t mean_ns = MeanInterval(all);
  std::optional<SamplingSum> sum;
  for (const auto* sampling : all) {
    SamplingSum rescaled = sampling->second;
    if (IntervalOf(*sampling) != mean_ns) rescaled.Rescale(mean_ns);
    if (sum) {
      sum->Add(rescaled);
    } else {
      sum = std::move(rescaled);
    }
  }
  return *std::move(sum);
}

}  // namespace

void ExtraKeyMerger::AddText(std::string_view key, std::string_view json) {
  const auto [known, is_new] = texts_.try_emplace(std::string(key), json);
  if (is_new || known->second == json) return;
  conflicts_.emplace_back(key);
  if (json < known->second) known->second = json;
}

void ExtraKeyMerger::AddPart(std::string_view name, std::string_view json,
                             const InputFacts& facts) {
  if (name == kCodePart) return;
  if (name == kSplitPart && IsSplitPart(json)) return;  // whoever writes the profile splits it
  if (name == kProvenancePart && runs_.AddJson(json)) return;
  if (name == kSamplingPart) {
    if (auto sum = SamplingSum::Parse(json, facts.weight)) {
      if (facts.scale.scales_samples()) sum->Rescale(facts.scale.sample_unit_ns);
      return AddSampling(*sum);
    }
  }
  // The merged profile has the notes of positions itself.
  if (name == kPositionsPart && IsPositionPart(json)) return;
  if (name == kLinesPart && SourceLines().AddJson(json)) {
    has_lines_ = true;
    return;
  }
  const PartRule* rule = RuleOf(name);
  if (rule != nullptr && rule->unite != nullptr && rule->is_valid(json)) {
    if (rule->multiply == nullptr || facts.weight == 1) return AddUnited(name, json);
    return AddUnited(name, rule->multiply(json, facts.weight));
  }
  if (name == kEstimatesPart) {
    if (const auto note = EstimateNote::Parse(json)) return AddEstimates(*note, facts);
  }
  if (name == kImagePart) {
    if (const auto note = ImageNote::Parse(json)) return AddImage(*note, facts);
  }
  const auto [known, is_new] = parts_.try_emplace(std::string(name), json);
  if (is_new || known->second == json) return;
  conflicts_.push_back(PartKey(name));
  if (json < known->second) known->second = json;
}

void ExtraKeyMerger::AddUnread(std::string_view json) {
  if (unread_ && *unread_ != json) conflicts_.emplace_back(kAgentKey);
  if (!unread_ || json < *unread_) unread_ = json;
}

void ExtraKeyMerger::AddUnited(std::string_view name, std::string_view json) {
  const auto [known, is_new] = united_.try_emplace(std::string(name), json);
  if (!is_new) known->second = RuleOf(name)->unite(known->second, json);
}

void ExtraKeyMerger::AddSampling(const SamplingSum& sum) {
  const auto [known, is_new] = sampling_.try_emplace(sum.Kind(), sum);
  if (!is_new) known->second.Add(sum);
}

void ExtraKeyMerger::AddEstimates(EstimateNote note, const InputFacts& facts) {
  for (auto& [method, calls] : note.calls) calls = facts.scale.Of(Table::kCalls, calls);
  note.Multiply(facts.weight);
  if (!estimates_) estimates_.emplace();
  estimates_->Unite(note);
}

void ExtraKeyMerger::AddImage(const ImageNote& note, const InputFacts& facts) {
  ImageInputs& inputs = images_[note.target];
  inputs.newest_ms = std::max(inputs.newest_ms, facts.newest_ms);
  inputs.weight = SaturatingAdd(inputs.weight, facts.counts);
  (note.filtered ? inputs.has_filtered : inputs.has_whole) = true;
}

void ExtraKeyMerger::Add(const Profile& input, int64_t weight, CountScale scale) {
  AgentSection section;
  for (const ExtraKey& extra : input.extras()) {
    if (!section.Add(extra.key, extra.json)) AddText(extra.key, extra.json);
  }
  has_section_ |= section.form() == AgentSection::Form::kReadable;
  if (!section.can_hold_parts()) AddUnread(section.unread());
  const InputFacts facts{weight, scale, RunList::Of(input).LastEndMs(),
                         CountsIn(input, weight, scale)};
  for (const auto& [name, json] : section.parts()) AddPart(name, json, facts);
  const auto image = ImageNote::Of(section);
  has_unsaid_image_ |= !image && HasEntries(input);
  if (image && input.entry_count(Table::kSamples) > 0) {
    has_cut_samples_ |= image->filtered || SplitPart::CompleteOf(input).has_value();
    has_whole_stacks_ &= HasWholeStacks(input);
  }
  has_exact_counts_ |= CountFactsOf(input).kind == CountKind::kExact;
}

void ExtraKeyMerger::Add(const ExtraKeyMerger& other) {
  for (const auto& [key, json] : other.texts_) AddText(key, json);
  has_section_ |= other.has_section_;
  for (const auto& [name, json] : other.parts_) AddPart(name, json, {});
  has_lines_ |= other.has_lines_;
  for (const auto& [name, json] : other.united_) AddUnited(name, json);
  for (const auto& [kind, sum] : other.sampling_) AddSampling(sum);
  runs_.Add(other.runs_);
  for (const auto& [target, there] : other.images_) {
    ImageInputs& inputs = images_[target];
    inputs.newest_ms = std::max(inputs.newest_ms, there.newest_ms);
    inputs.weight = SaturatingAdd(inputs.weight, there.weight);
    inputs.has_filtered |= there.has_filtered;
    inputs.has_whole |= there.has_whole;
  }
  has_unsaid_image_ |= other.has_unsaid_image_;
  has_cut_samples_ |= other.has_cut_samples_;
  has_whole_stacks_ &= other.has_whole_stacks_;
  if (other.estimates_) AddEstimates(*other.estimates_, {});
  has_exact_counts_ |= other.has_exact_counts_;
  if (other.unread_) AddUnread(*other.unread_);
  conflicts_.insert(conflicts_.end(), other.conflicts_.begin(), other.conflicts_.end());
}

// As the positions of a method (method_versions.h): if the criterion leaves several, the other one
// decides, and then the newer target.
ImageChoice ExtraKeyMerger::ChooseImage(PreferredVersion preferred) const {
  ImageChoice choice;
  const bool by_time = preferred == PreferredVersion::kNewest;
  std::vector<std::tuple<int64_t, int64_t>> ranks;  // as the targets
  bool has_filtered = false;
  bool has_whole = has_unsaid_image_;
  std::tuple<int64_t, int64_t> best;
  for (const auto& [target, inputs] : images_) {
    choice.targets.push_back(target);
    has_filtered |= inputs.has_filtered;
    has_whole |= inputs.has_whole;
    const auto rank = by_time ? std::tuple(inputs.newest_ms, inputs.weight)
                              : std::tuple(inputs.weight, inputs.newest_ms);
    ranks.push_back(rank);
    if (choice.note && rank < best) continue;
    best = rank;
    choice.note = ImageNote{target, false};
  }
  const auto first = [](const auto& rank) { return std::get<0>(rank); };
  if (std::ranges::count(ranks, first(best), first) == 1) {
    choice.reason = by_time ? ImageChoice::Reason::kNewest : ImageChoice::Reason::kHeaviest;
  } else if (std::ranges::count(ranks, best) == 1) {
    choice.reason =
        by_time ? ImageChoice::Reason::kHeaviestOfNewest : ImageChoice::Reason::kNewestOfHeaviest;
  }
  if (choice.note) choice.note->filtered = !has_whole && choice.targets.size() == 1;
  choice.filters_differ = has_filtered && has_whole;
  return choice;
}

std::vector<SamplingSum> ExtraKeyMerger::UnitedSampling() const {
  std::map<std::string_view, std::vector<const SamplingByKind::value_type*>> by_event;
  for (const auto& sampling : sampling_) by_event[sampling.first.first].push_back(&sampling);
  std::vector<SamplingSum> united;
  for (const auto& [event, all] : by_event) {  // ascending by interval
    if (AlikeIntervals(IntervalOf(*all.front()), IntervalOf(*all.back()))) {
      united.push_back(SumOf(all));
    } else {
      for (const auto* sampling : all) united.push_back(sampling->second);
    }
  }
  return united;
}

AgentSection ExtraKeyMerger::Section(PreferredVersion preferred) const {
  AgentSection section;
  for (const auto& [name, json] : parts_) {
    if (name != kLinesPart || !has_lines_) section.SetPart(name, json);
  }
  if (!runs_.empty()) section.SetPart(kProvenancePart, runs_.ToJson());
  const std::vector<SamplingSum> sampling = UnitedSampling();
  const auto most = std::ranges::max_element(
      sampling, {}, [](const SamplingSum& sum) { return sum.Number("signals"); });
  if (most != sampling.end()) section.SetPart(kSamplingPart, most->ToJson());
  if (estimates_) section.SetPart(kEstimatesPart, estimates_->ToJson());
  for (const auto& [name, json] : united_) {
    std::optional<HarvestNote> harvest;
    if (name == kHarvestPart && has_exact_counts_) harvest = HarvestNote::Parse(json);
    if (harvest) harvest->UniteExact();
    section.SetPart(name, harvest ? harvest->ToJson() : json);
  }
  if (const ImageChoice image = ChooseImage(preferred); image.note)
    section.SetPart(kImagePart, image.note->ToJson());
  if (has_cut_samples_)
    section.SetPart(kSplitPart, has_whole_stacks_ ? kCompleteSplit : kIncompleteSplit);
  return section;
}

void ExtraKeyMerger::WriteTo(Profile& profile, PreferredVersion preferred) const {
  auto texts = texts_;
  if (HasSection()) {
    texts.emplace(kAgentKey, Section(preferred).ToJson());
  } else if (unread_) {
    texts.emplace(kAgentKey, *unread_);
  }
  for (const auto& [key, json] : texts) profile.SetExtra(key, json);
}

std::vector<std::string> ExtraKeyMerger::ConflictingKeys() const {
  std::vector<std::string> keys = conflicts_;
  if (HasSection() && unread_) keys.emplace_back(kAgentKey);
  if (has_lines_ && parts_.contains(kLinesPart)) keys.push_back(PartKey(kLinesPart));
  if (estimates_ && parts_.contains(kEstimatesPart)) keys.push_back(PartKey(kEstimatesPart));
  for (const auto& [name, json] : united_) {
    if (parts_.contains(name)) keys.push_back(PartKey(name));
  }
  if (UnitedSampling().size() > 1 || (!sampling_.empty() && parts_.contains(kSamplingPart)))
    keys.push_back(PartKey(kSamplingPart));
  if (!runs_.empty() && parts_.contains(kProvenancePart)) keys.push_back(PartKey(kProvenancePart));
  const ImageChoice image = ChooseImage(PreferredVersion::kHeaviest);
  const bool has_other_image = image.note && parts_.contains(kImagePart);
  if (image.targets.size() > 1 || image.filters_differ || has_other_image)
    keys.push_back(PartKey(kImagePart));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace iprof
