#include "writer/profile/io/sampling_sum.h"

#include <fmt/core.h>

#include <algorithm>

#include "writer/base/join_text.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/io/json_object.h"
#include "writer/profile/model.h"

namespace iprof {
namespace {

constexpr size_t kMostBytes = 65536;  // statistics have about 1,000
constexpr std::string_view kSeparator = "; ";

constexpr std::string_view kFirstInterval = "firstIntervalNs";
constexpr std::string_view kLastInterval = "lastIntervalNs";
constexpr std::string_view kGood = "good";
constexpr std::string_view kRecovered = "recovered";

enum class Combination : uint8_t { kSum, kLargest, kSmallest };

Combination HowToCombine(std::string_view name) {
  if (name == "distinctStacks" || name == "tableBytes" || name == kLastInterval)
    return Combination::kLargest;
  if (name == "stoppedAfterMs" || name == kFirstInterval) return Combination::kSmallest;
  return Combination::kSum;
}

std::set<std::string> Split(std::string_view joined) {
  std::set<std::string> texts;
  while (true) {
    const size_t end = joined.find(kSeparator);
    texts.emplace(joined.substr(0, end));
    if (end == std::string_view::npos) return texts;
    joined.remove_prefix(end + kSeparator.size());
  }
}

bool ReadNumber(JsonScanner& in, int64_t* value) { return in.ReadWhole(value) && *value >= 0; }

}  // namespace

std::optional<SamplingSum> SamplingSum::Parse(std::string_view json, int64_t weight) {
  if (json.size() > kMostBytes) return std::nullopt;
  SamplingSum sum;
  const auto read_outcomes = [&](JsonScanner& in) {
    return ReadObject(in, [&](const std::string& name) {
      Pair pair{};
      const bool read = in.Consume('[') && ReadNumber(in, pair.data()) && in.Consume(',') &&
                        ReadNumber(in, &pair[1]) && in.Consume(']');
      for (int64_t& number : pair) number = SaturatingMultiply(number, weight);
      return read && sum.outcomes_.emplace(name, pair).second;
    });
  };
  const bool read = ParseObject(json, kSamplingPart, [&](JsonScanner& in, const std::string& name) {
    if (in.Peek() == '"') {
      std::string text;
      if (!in.ReadText(&text)) return false;
      if (name != "event") return sum.texts_.emplace(name, Split(text)).second;
      sum.event_ = std::move(text);
      return true;
    }
    if (name == "outcomes") return read_outcomes(in);
    int64_t value = 0;
    if (!ReadNumber(in, &value)) return false;
    if (name == "intervalNs") {
      sum.interval_ns_ = value;
      return true;
    }
    if (HowToCombine(name) == Combination::kSum) value = SaturatingMultiply(value, weight);
    return sum.numbers_.emplace(name, value).second;
  });
  if (!read || sum.event_.empty() || sum.interval_ns_ == 0) return std::nullopt;
  return sum;
}

void SamplingSum::Add(const SamplingSum& other) {
  for (const auto& [name, value] : other.numbers_) {
    const auto [known, is_new] = numbers_.emplace(name, value);
    if (is_new) continue;
    switch (HowToCombine(name)) {
      case Combination::kSum:
        known->second = SaturatingAdd(known->second, value);
        break;
      case Combination::kLargest:
        known->second = std::max(known->second, value);
        break;
      case Combination::kSmallest:
        known->second = std::min(known->second, value);
        break;
    }
  }
  for (const auto& [name, texts] : other.texts_) texts_[name].insert(texts.begin(), texts.end());
  for (const auto& [name, pair] : other.outcomes_) {
    Pair& sum = outcomes_[name];
    for (size_t i = 0; i < pair.size(); ++i) sum[i] = SaturatingAdd(sum[i], pair[i]);
  }
}

int64_t SamplingSum::Number(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? 0 : found->second;
}

void SamplingSum::Rescale(int64_t interval_ns) {
  if (!Adapted()) {  // beside another interval, they would look as if it had adapted
    numbers_.erase(std::string(kFirstInterval));
    numbers_.erase(std::string(kLastInterval));
  }
  const auto rescaled = [&](int64_t weight) {
    WeightScale scale(static_cast<uint64_t>(interval_ns_), static_cast<uint64_t>(interval_ns));
    return static_cast<int64_t>(scale.Of(static_cast<uint64_t>(weight)));
  };
  for (auto& [name, value] : numbers_) {
    if (name.ends_with("Weight")) value = rescaled(value);
  }
  for (auto& [name, pair] : outcomes_) pair[1] = rescaled(pair[1]);
  interval_ns_ = interval_ns;
}

int64_t SamplingSum::GoodSignals() const {
  int64_t with_stack = 0;
  for (const std::string_view name : {kGood, kRecovered}) {
    const auto found = outcomes_.find(name);
    if (found != outcomes_.end()) with_stack = SaturatingAdd(with_stack, found->second[0]);
  }
  if (with_stack > 0) return with_stack;
  return SaturatingAdd(Number(kGood), Number(kRecovered));
}

std::optional<std::pair<int64_t, int64_t>> SamplingSum::Adapted() const {
  const int64_t first = Number(kFirstInterval);
  const int64_t last = Number(kLastInterval);
  if (first == 0 || last < first || (first == last && first == interval_ns_)) return std::nullopt;
  return std::pair(first, last);
}

WeightScale SamplingSum::ScaleFromFirst() const {
  if (!Adapted()) return {};
  return {static_cast<uint64_t>(Number(kFirstInterval)), static_cast<uint64_t>(interval_ns_)};
}

std::optional<SampleTime> SampleTimeOf(const Profile& profile) {
  const auto json = AgentPart(profile, kSamplingPart);
  const auto sampling = json ? SamplingSum::Parse(*json) : std::nullopt;
  if (!sampling) return std::nullopt;
  const auto [event, interval_ns] = sampling->Kind();
  return SampleTime{event, interval_ns};
}

int64_t SignalsBehind(int64_t total_weight, std::optional<std::string_view> json) {
  const auto sum = json ? SamplingSum::Parse(*json) : std::nullopt;
  const int64_t good = sum ? sum->GoodSignals() : 0;
  return good > 0 ? std::min(good, total_weight) : total_weight;
}

std::string SamplingSum::ToJson() const {
  JsonBuilder json;
  json.Open('{').Field("event", event_).Field("intervalNs", interval_ns_);
  for (const auto& [name, value] : numbers_) json.Field(name, value);
  for (const auto& [name, texts] : texts_) json.Field(name, JoinText(texts, kSeparator));
  json.Key("outcomes").Open('{');
  for (const auto& [name, pair] : outcomes_)
    json.Key(name).Open('[').Int(pair[0]).Int(pair[1]).Close(']');
  return json.Close('}').Close('}').Take();
}

}  // namespace iprof
