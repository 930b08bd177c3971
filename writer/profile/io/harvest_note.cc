#include "writer/profile/io/harvest_note.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "writer/base/grouped.h"
#include "writer/base/join_text.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/io/json_object.h"

namespace iprof {
namespace {

constexpr size_t kMostBytes = 4096;  // a note has about 500
constexpr std::string_view kSeveralPatterns = "different classes of the merged profiles";

struct CountMember {
  std::string_view name;
  int64_t HarvestNote::*count;
};
constexpr CountMember kCounts[] = {
    {"methods_with_data", &HarvestNote::methods_with_data},
    {"methods_without_data", &HarvestNote::methods_without_data},
    {"methods_failed", &HarvestNote::methods_failed},
    {"methods_trained", &HarvestNote::methods_trained},
    {"methods_trained_unknown", &HarvestNote::methods_trained_unknown},
    {"sites_left_out", &HarvestNote::sites_left_out},
    {"lambdas_left_out", &HarvestNote::lambdas_left_out},
    {"classes_left_out", &HarvestNote::classes_left_out}};

using Words = std::set<std::string, std::less<>>;

Words Split(std::string_view joined) {
  Words words;
  while (true) {
    const size_t end = joined.find('+');
    words.emplace(joined.substr(0, end));
    if (end == std::string_view::npos) return words;
    joined.remove_prefix(end + 1);
  }
}

std::string United(std::string_view a, std::string_view b) {
  Words words = Split(a);
  words.merge(Split(b));
  return JoinText(words, "+");
}

std::string CallsAndWeights(const HarvestNote& note) {
  if (note.IsMixed())
    return fmt::format(
        ", a merge of profiles of several kinds, each scaled to the same total; estimators: {}",
        note.estimator);
  if (note.estimator == kNoEstimator) {
    return std::string(", calls and weights as HotSpot counted them") +
           (note.estimate_refused ? ", because no estimate fits into the CPU time" : "");
  }
  return fmt::format(", calls and weights estimated ({})", note.estimator);
}

}  // namespace

std::string HarvestNote::ToJson() const {
  JsonBuilder json;
  json.Open('{').Field("source", source).Field("estimator", estimator);
  json.Field("without_methoddata_permille", without_data_permille);
  json.Field("left_out_permille", left_out_permille).Field("type_width", type_width);
  json.Field("recursive_groups", recursive_groups);
  if (jvm_age_s >= 0) json.Field("jvm_age_s", jvm_age_s);
  if (cpu_ms >= 0) json.Field("cpu_ms", cpu_ms);
  if (estimate_refused) json.Field("estimate_refused", 1);
  json.Field("harvests", harvests).Field("time", time);
  if (!exact_classes.empty())
    json.Field("exact_classes", exact_classes).Field("exact_methods", exact_methods);
  json.Field("trained", trained ? 1 : 0);
  for (const auto& [name, count] : kCounts) json.Field(name, this->*count);
  return json.Close('}').Take();
}

std::optional<HarvestNote> HarvestNote::Parse(std::string_view json) {
  if (json.size() > kMostBytes) return std::nullopt;
  HarvestNote note;
  note.source.clear();
  int64_t trained = 0;
  int64_t refused = 0;
  const bool read = ParseObject(json, kHarvestPart, [&](JsonScanner& in, const std::string& name) {
    if (name == "source") return in.ReadText(&note.source);
    if (name == "estimator") return in.ReadText(&note.estimator);
    if (name == "time") return in.ReadText(&note.time);
    if (name == "without_methoddata_permille") return in.ReadWhole(&note.without_data_permille);
    if (name == "left_out_permille") return in.ReadWhole(&note.left_out_permille);
    if (name == "type_width") return in.ReadWhole(&note.type_width);
    if (name == "recursive_groups") return in.ReadWhole(&note.recursive_groups);
    if (name == "jvm_age_s") return in.ReadWhole(&note.jvm_age_s);
    if (name == "cpu_ms") return in.ReadWhole(&note.cpu_ms);
    if (name == "estimate_refused") return in.ReadWhole(&refused);
    if (name == "harvests") return in.ReadWhole(&note.harvests);
    if (name == "exact_classes") return in.ReadText(&note.exact_classes);
    if (name == "exact_methods") return in.ReadWhole(&note.exact_methods);
    if (name == "trained") return in.ReadWhole(&trained);
    for (const auto& [known, count] : kCounts) {
      if (name == known) return in.ReadWhole(&(note.*count));
    }
    return in.SkipValue();
  });
  if (!read || note.source.empty()) return std::nullopt;
  note.trained = trained != 0;
  note.estimate_refused = refused != 0;
  return note;
}

std::optional<HarvestNote> HarvestNote::Of(const Profile& profile) {
  const AgentSection section = AgentSection::Of(profile);
  const auto json = section.Part(kHarvestPart);
  return json ? Parse(*json) : std::nullopt;
}

void HarvestNote::AddLosses(RunNote* run) const {
  const auto lose = [&](std::string_view what, int64_t count) {
    if (count > 0) run->Lose(what, static_cast<uint64_t>(count));
  };
  lose("sites", sites_left_out);
  lose("method_data", methods_failed + methods_trained_unknown);
  lose("lambdas_without_name", lambdas_left_out);
}

bool HarvestNote::IsMixed() const {
  const Words estimators = Split(estimator);
  return Split(source).contains(kExactSource) ||
         (estimators.size() > 1 && estimators.contains(kNoEstimator));
}

void HarvestNote::Unite(const HarvestNote& other) {
  source = United(source, other.source);
  estimator = United(estimator, other.estimator);
  for (const auto number :
       {&HarvestNote::without_data_permille, &HarvestNote::left_out_permille,
        &HarvestNote::type_width, &HarvestNote::recursive_groups, &HarvestNote::jvm_age_s,
        &HarvestNote::harvests, &HarvestNote::exact_methods})
    this->*number = std::max(this->*number, other.*number);
  for (const auto& [name, count] : kCounts) this->*count = std::max(this->*count, other.*count);
  time = std::max(time, other.time);
  if (exact_classes.empty()) {
    exact_classes = other.exact_classes;
  } else if (!other.exact_classes.empty() && other.exact_classes != exact_classes) {
    exact_classes = kSeveralPatterns;
  }
  trained |= other.trained;
  if (cpu_ms != other.cpu_ms) cpu_ms = kUnknownCpu;
  estimate_refused |= other.estimate_refused;
}

void HarvestNote::UniteExact() {
  source = United(source, kExactSource);
  cpu_ms = kUnknownCpu;
}

bool HarvestNote::CanHold(double events) const {
  constexpr double kNsPerMs = 1e6;
  constexpr double kClockMs = 20;  // the system counts the time in steps of 10 ms
  return cpu_ms < 0 ||
         events <= kMostEventsPerNs * kNsPerMs * (static_cast<double>(cpu_ms) + kClockMs);
}

std::string HarvestNote::Describe() const {
  std::string text = source + CallsAndWeights(*this);
  text += ", " + time;
  if (jvm_age_s >= 0) text += fmt::format(" after {} s", jvm_age_s);
  if (harvests > 1) text += fmt::format(", {} harvests united", harvests);
  text += fmt::format("; no data for {:.1f} % of the methods that ran, {} a site",
                      static_cast<double>(without_data_permille) / 10,
                      Counted(type_width, "class", "classes"));
  if (left_out_permille > 0)
    text += fmt::format(", {:.1f} % left out", static_cast<double>(left_out_permille) / 10);
  if (recursive_groups > 0)
    text += ", " + Counted(recursive_groups, "recursive group", "recursive groups");
  if (!exact_classes.empty())
    text += fmt::format(", exact counts of {} in {}", Counted(exact_methods, "method", "methods"),
                        exact_classes);
  if (trained) text += ", with counts of the AOT cache's training run";
  if (methods_trained > 0) text += ", without those of the AOT cache's training run";
  return text;
}

}  // namespace iprof
