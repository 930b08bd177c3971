#include "writer/io/run_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "writer/base/grouped.h"
#include "writer/base/utc_time.h"
#include "writer/io/agent_section.h"
#include "writer/io/json_object.h"
#include "writer/io/json_scanner.h"
#include "writer/io/writer.h"

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

class ObjectText {
 public:
  void Key(std::string_view name) {
    if (json_.size() > 1) json_ += ',';
    AppendJsonString(name, &json_);
    json_ += ':';
  }
  void Text(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    Key(name);
    AppendJsonString(value, &json_);
  }
  void Number(std::string_view name, int64_t value) { Raw(name, std::to_string(value)); }
  void Raw(std::string_view name, std::string_view json) {
    Key(name);
    json_ += json;
  }
  std::string Finish() { return std::move(json_) + '}'; }

 private:
  std::string json_ = "{";
};

bool ReadText(JsonScanner& scanner, std::string* value) {
  std::string_view read;
  if (scanner.Peek() != '"' || !scanner.ReadString(&read)) return false;
  *value = read;
  return true;
}

bool ReadNumber(JsonScanner& scanner, int64_t* value) {
  scanner.Peek();  // skips white space, which other tools may have added
  return scanner.ReadInteger(value) == JsonScanner::Number::kInteger;
}

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
  const std::string in = Counted(others, "method", "methods");
  if (!KnowsK()) {
    return fmt::format(
        "may be off by an unknown number in {}, because the program ran on while they were read",
        in);
  }
  const std::string_view why =
      has_estimates
          ? "exceptions ended calls, calls had not ended, or methods were not counted all the time"
          : "exceptions ended calls or calls had not ended";
  if (unknown <= 0)
    return fmt::format("may be off by up to {} in {}, because {}", Grouped(largest_k), in, why);
  if (within_k <= 0)
    return fmt::format("may be off by an unknown number in {}, because {}", in, why);
  return fmt::format("may be off in {}, because {}: by up to {} in {}, by an unknown number in {}",
                     in, why, Grouped(largest_k), Grouped(within_k), Grouped(unknown));
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
  ObjectText json;
  for (const auto& [name, text] : kTexts) json.Text(name, this->*text);
  if (start_ms > 0) json.Text("start", UtcText(start_ms));
  if (end_ms > 0) json.Text("end", UtcText(end_ms));
  if (recorded_ms > 0) json.Number("recorded_ms", recorded_ms);
  if (exactness) {
    ObjectText methods;
    for (const auto& [name, count] : kExactness) {
      if (count == &RunExactness::largest_k && !exactness->KnowsK()) continue;
      methods.Number(name, (*exactness).*count);
    }
    json.Raw("methods", methods.Finish());
  }
  if (!losses.empty()) {
    ObjectText lost;
    for (const auto& [name, count] : losses) lost.Number(name, count);
    json.Raw("losses", lost.Finish());
  }
  return json.Finish();
}

std::optional<RunNote> RunNote::Parse(std::string_view json) {
  if (json.size() > kMostRunBytes) return std::nullopt;
  StringSource source(json);
  const Place place{.section = kProvenancePart};
  JsonScanner scanner(source, kProvenancePart, place, 0);
  RunNote note;
  const auto time = [&](int64_t* value) {
    std::string text;
    if (!ReadText(scanner, &text)) return false;
    *value = ParseUtcText(text);
    return true;
  };
  const auto read_exactness = [&] {
    RunExactness& counts = note.exactness.emplace();
    return ReadObject(scanner, [&](const std::string& name) {
      for (const auto& [known, count] : kExactness) {
        if (name == known) return ReadNumber(scanner, &(counts.*count));
      }
      return scanner.SkipValue();
    });
  };
  const auto read_losses = [&] {
    return ReadObject(scanner, [&](const std::string& name) {
      return ReadNumber(scanner, &note.losses.emplace_back(name, 0).second);
    });
  };
  const bool read = ReadObject(scanner, [&](const std::string& name) {
    for (const auto& [known, text] : kTexts) {
      if (name == known) return ReadText(scanner, &(note.*text));
    }
    if (name == "start") return time(&note.start_ms);
    if (name == "end") return time(&note.end_ms);
    if (name == "recorded_ms") return ReadNumber(scanner, &note.recorded_ms);
    if (name == "methods") return read_exactness();
    if (name == "losses") return read_losses();
    return scanner.SkipValue();
  });
  if (!read || !scanner.ExpectEnd()) return std::nullopt;
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
  StringSource source(json);
  const Place place{.section = kProvenancePart};
  JsonScanner scanner(source, kProvenancePart, place, 0);
  std::vector<std::string> runs;
  int64_t older = 0;
  const auto read_runs = [&] {
    if (!scanner.Consume('[')) return false;
    if (scanner.Consume(']')) return true;
    do {
      if (scanner.Peek() != '{' || !scanner.SkipValue(&runs.emplace_back()) ||
          !RunNote::Parse(runs.back()))
        return false;
    } while (scanner.Consume(','));
    return scanner.Consume(']');
  };
  const bool read = ReadObject(scanner, [&](const std::string& name) {
    if (name == "runs") return read_runs();
    if (name == "older_runs") return ReadNumber(scanner, &older) && older >= 0;
    return scanner.SkipValue();
  });
  if (!read || !scanner.ExpectEnd()) return false;
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
  std::string json = "{\"runs\":[";
  for (const Run& run : runs) {
    if (&run != runs.data()) json += ',';
    json += run.text;
  }
  json += ']';
  if (older > 0) json += ",\"older_runs\":" + std::to_string(older);
  return json + '}';
}

}  // namespace iprof
