#include "writer/profile/io/run_note.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "writer/base/grouped.h"
#include "writer/base/utc_time.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/io/json_object.h"

namespace iprof {
namespace {

constexpr size_t kMostRunBytes = 16384;  // a run has about 700

// Stops at the largest number that a reader takes.
size_t SumOfOlder(size_t a, size_t b) {
  return static_cast<size_t>(SaturatingAdd(static_cast<int64_t>(a), static_cast<int64_t>(b)));
}

struct TextMember {
  std::string_view name;
  std::string RunNote::*text;
};
constexpr TextMember kTexts[] = {{"run", &RunNote::run},
                                 {"agent", &RunNote::agent},
                                 {"options", &RunNote::options},
                                 {"jvm_vendor", &RunNote::jvm_vendor},
                                 {"jvm_version", &RunNote::jvm_version},
                                 {"jvm_build", &RunNote::jvm_build},
                                 {"architecture", &RunNote::architecture},
                                 {"program", &RunNote::program},
                                 {"source", &RunNote::source},
                                 {"tables", &RunNote::tables},
                                 {"begin", &RunNote::begin}};

struct CountMember {
  std::string_view name;
  int64_t RunExactness::*count;
};
constexpr CountMember kExactness[] = {{"exact", &RunExactness::exact},
                                      {"within_k", &RunExactness::within_k},
                                      {"unknown", &RunExactness::unknown},
                                      {"largest_k", &RunExactness::largest_k}};

constexpr std::string_view kNegativeCounts = "negative_counts";

struct LossWords {
  std::string_view name;
  std::string_view one;
  std::string_view several;
};
constexpr LossWords kLossWords[] = {
    {"branches", "branch that exceptions may have changed",
     "branches that exceptions may have changed"},
    {"sites", "call or type check that met objects of unknown class",
     "calls or type checks that met objects of unknown class"},
    {"monitors", "lock of unknown class", "locks of unknown class"},
    {"samples", "sample without a stack", "samples without a stack"},
    {"methods_not_counted", "method that was not counted", "methods that were not counted"},
    {"methods_changed_by_others",
     "method's branches and receivers, because another agent changed it",
     "methods' branches and receivers, because another agent changed them"},
    {"method_versions",
     "method's branches and receivers, because another version of it ran more often",
     "methods' branches and receivers, because another version of them ran more often"},
    {kNegativeCounts,
     "count that came out negative, because of races between threads or exceptions",
     "counts that came out negative, because of races between threads or exceptions"},
    {"damaged_records", "method whose record is damaged", "methods whose records are damaged"},
    {"refused_memory", "counter or record, because memory= was used up",
     "counters or records, because memory= was used up"},
    {"estimates", "estimate of a method without probes", "estimates of methods without probes"},
    {"estimates_without_name", "note that a method is estimated",
     "notes that methods are estimated"},
    {"method_data", "method whose counters in HotSpot failed a check",
     "methods whose counters in HotSpot failed a check"},
    {"lambdas_without_name", "lambda without a stable name", "lambdas without a stable name"},
};

}  // namespace

std::string RunExactness::Describe(bool has_estimates) const {
  const std::string others = DescribeOthers(has_estimates);
  if (exact <= 0) return others;
  constexpr std::string_view kExact = "exact but for races between threads";
  return others.empty() ? std::string(kExact) : fmt::format("{}; {}", kExact, others);
}

std::string RunExactness::DescribeOthers(bool has_estimates) const {
  const int64_t others = SaturatingAdd(within_k, unknown);
  if (others <= 0) return {};
  const std::string methods = Counted(others, "method", "methods");
  if (!KnowsK()) {
    return fmt::format(
        "{} may be off by an unknown number, because the program ran on while they were read",
        methods);
  }
  const std::string_view why =
      has_estimates
          ? "exceptions ended calls, calls had not ended, or methods were not counted all the time"
          : "exceptions ended calls or calls had not ended";
  if (unknown <= 0)
    return fmt::format("{} may be off by up to {}, because {}", methods, Grouped(largest_k), why);
  if (within_k <= 0)
    return fmt::format("{} may be off by an unknown number, because {}", methods, why);
  return fmt::format("{} may be off, because {}: {} by up to {}, {} by an unknown number", methods,
                     why, Grouped(within_k), Grouped(largest_k), Grouped(unknown));
}

std::vector<std::pair<std::string, std::string>> DescribeLosses(const RunLosses& losses) {
  std::string left_out;
  std::string set_to_0;
  for (const auto& loss : losses) {
    const std::string& name = loss.first;
    const int64_t count = loss.second;
    std::string& text = name == kNegativeCounts ? set_to_0 : left_out;
    if (!text.empty()) text += ", ";
    const auto* const known =
        std::find_if(std::begin(kLossWords), std::end(kLossWords),
                     [&](const LossWords& words) { return words.name == name; });
    if (known != std::end(kLossWords)) {
      text += Counted(count, known->one, known->several);
    } else {  // of a later version
      std::string words = name;
      std::replace(words.begin(), words.end(), '_', ' ');
      text += fmt::format("{} {}", Grouped(count), words);
    }
  }
  std::vector<std::pair<std::string, std::string>> lines;
  if (!left_out.empty()) lines.emplace_back("left out", std::move(left_out));
  if (!set_to_0.empty()) lines.emplace_back("set to 0", std::move(set_to_0));
  return lines;
}

void RunNote::Lose(std::string_view what, uint64_t count) {
  if (count == 0) return;
  const auto lost = static_cast<int64_t>(std::min<uint64_t>(count, INT64_MAX));
  for (auto& [name, sum] : losses) {
    if (name != what) continue;
    sum = SaturatingAdd(sum, lost);
    return;
  }
  losses.emplace_back(what, lost);
}

std::string RunNote::ToJson() const {
  JsonBuilder json;
  json.Open('{');
  for (const auto& [name, text] : kTexts) json.FieldIfAny(name, this->*text);
  if (start_ms > 0) json.Field("start", UtcText(start_ms));
  if (end_ms > 0) json.Field("end", UtcText(end_ms));
  if (recorded_ms > 0) json.Field("recorded_ms", recorded_ms);
  if (exactness) {
    json.Key("methods").Open('{');
    for (const auto& [name, count] : kExactness) {
      if (count == &RunExactness::largest_k && !exactness->KnowsK()) continue;
      json.Field(name, (*exactness).*count);
    }
    json.Close('}');
  }
  if (!losses.empty()) {
    json.Key("losses").Open('{');
    for (const auto& [name, count] : losses) json.Field(name, count);
    json.Close('}');
  }
  return json.Close('}').Take();
}

std::optional<RunNote> RunNote::Parse(std::string_view json) {
  if (json.size() > kMostRunBytes) return std::nullopt;
  RunNote note;
  const auto read_exactness = [&](JsonScanner& in) {
    RunExactness& counts = note.exactness.emplace();
    return ReadObject(in, [&](const std::string& name) {
      for (const auto& [known, count] : kExactness) {
        if (name == known) return in.ReadWhole(&(counts.*count));
      }
      return in.SkipValue();
    });
  };
  const bool read =
      ParseObject(json, kProvenancePart, [&](JsonScanner& in, const std::string& name) {
        const auto time = [&](int64_t* value) {
          std::string text;
          if (!in.ReadText(&text)) return false;
          *value = ParseUtcText(text);
          return true;
        };
        for (const auto& [known, text] : kTexts) {
          if (name == known) return in.ReadText(&(note.*text));
        }
        if (name == "start") return time(&note.start_ms);
        if (name == "end") return time(&note.end_ms);
        if (name == "recorded_ms") return in.ReadWhole(&note.recorded_ms);
        if (name == "methods") return read_exactness(in);
        if (name != "losses") return in.SkipValue();
        return ReadObject(in, [&](const std::string& loss) {
          return in.ReadWhole(&note.losses.emplace_back(loss, 0).second);
        });
      });
  if (!read) return std::nullopt;
  return note;
}

RunList RunList::Of(const Profile& profile) {
  RunList list;
  const AgentSection section = AgentSection::Of(profile);
  if (const auto json = section.Part(kProvenancePart)) list.AddJson(*json);
  return list;
}

void RunList::Add(const RunList& other) {
  texts_.insert(other.texts_.begin(), other.texts_.end());
  older_ = SumOfOlder(older_, other.older_);
}

bool RunList::AddJson(std::string_view json) {
  std::vector<std::string> runs;
  int64_t older = 0;
  const bool read =
      ParseObject(json, kProvenancePart, [&](JsonScanner& in, const std::string& name) {
        if (name == "older_runs") return in.ReadWhole(&older) && older >= 0;
        if (name != "runs") return in.SkipValue();
        return in.ReadArray([&] {
          return in.Peek() == '{' && in.SkipValue(&runs.emplace_back()) &&
                 RunNote::Parse(runs.back());
        });
      });
  if (!read) return false;
  for (std::string& run : runs) texts_.insert(std::move(run));
  older_ = SumOfOlder(older_, static_cast<size_t>(older));
  return true;
}

std::vector<RunNote> RunList::Runs() const {
  std::vector<RunNote> runs;
  for (const std::string& text : texts_) {
    if (auto run = RunNote::Parse(text)) runs.push_back(std::move(*run));
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const RunNote& a, const RunNote& b) { return a.start_ms < b.start_ms; });
  return runs;
}

bool RunList::TellsExactness() const {
  const std::vector<RunNote> runs = Runs();
  return runs.size() == 1 && older_ == 0 && runs.front().exactness.has_value();
}

int64_t RunList::LastEndMs() const {
  int64_t last = 0;
  for (const RunNote& run : Runs()) last = std::max(last, run.end_ms);
  return last;
}

std::string RunList::ToJson() const {
  struct Run {
    int64_t start_ms, end_ms;
    std::string_view text;
  };
  std::vector<Run> runs;
  for (const std::string& text : texts_) {
    const RunNote note = RunNote::Parse(text).value_or(RunNote());
    runs.push_back({note.start_ms, note.end_ms, text});
  }
  size_t older = older_;
  if (runs.size() > kMostRuns) {
    std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
      return std::tie(b.end_ms, b.text) < std::tie(a.end_ms, a.text);
    });
    older = SumOfOlder(older, runs.size() - kMostRuns);
    runs.resize(kMostRuns);
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tie(a.start_ms, a.text) < std::tie(b.start_ms, b.text);
  });
  JsonBuilder json;
  json.Open('{').Key("runs").Open('[');
  for (const Run& run : runs) json.Raw(run.text);
  json.Close(']');
  if (older > 0) json.Field("older_runs", static_cast<int64_t>(older));
  return json.Close('}').Take();
}

}  // namespace iprof
