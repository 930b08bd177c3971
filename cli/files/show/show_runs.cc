#include "cli/files/show/show_runs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/base/utc_time.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/sampling_sum.h"

namespace iprof::cli {
namespace {

constexpr size_t kMostRuns = 10;

RunList RunsOf(const AgentSection& section) {
  RunList list;
  if (const auto json = section.Part(kProvenancePart)) list.AddJson(*json);
  return list;
}

std::optional<SamplingSum> SamplingOf(const AgentSection& section) {
  const auto json = section.Part(kSamplingPart);
  return json ? SamplingSum::Parse(*json) : std::nullopt;
}

// Joins what is not empty.
std::string Joined(std::initializer_list<std::string> texts, std::string_view separator) {
  std::string joined;
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    if (!joined.empty()) joined += separator;
    joined += text;
  }
  return joined;
}

std::string IfAny(std::string_view before, const std::string& text) {
  return text.empty() ? std::string() : std::string(before) + text;
}

std::string Moment(int64_t ms) { return ms == 0 ? std::string() : UtcTextForPeople(ms); }

std::string Program(const RunNote& run) {
  return Joined(
      {run.program.empty() ? "a program" : run.program, IfAny("on JDK ", run.jvm_version)}, " ");
}

// "2026-11-24 23:35:27 to 23:36:28 UTC"
std::string FromTo(const std::string& from, std::string to) {
  constexpr size_t kDate = 11;  // with the blank behind it
  if (from.size() > kDate && to.starts_with(from.substr(0, kDate))) to = to.substr(kDate);
  const std::string text = Joined({from, IfAny("to ", to)}, " ");
  return text.empty() ? text : text + " UTC";
}

std::string Window(const RunNote& run) {
  std::string begin;
  if (run.begin == kBeginAtStart) begin = "from the JVM's start";
  if (run.begin == kBeginByAttach) begin = "attached";
  if (run.begin == kBeginLater) begin = "begun later";
  const std::string length =
      run.recorded_ms == 0
          ? std::string()
          : fmt::format("{:.1f} s recorded", static_cast<double>(run.recorded_ms) / 1000);
  return Joined({FromTo(Moment(run.start_ms), Moment(run.end_ms)), length, begin}, ", ");
}

class Lines {
 public:
  Lines(Console& console, const Layout& layout) : console_(console), layout_(layout) {}
  void Print(std::string_view title, const std::string& text) {
    if (!text.empty())
      console_.Write(Paragraph(fmt::format("{:<16}", title), EscapeForTerminal(text), layout_));
  }

 private:
  Console& console_;
  const Layout layout_;
};

void PrintLosses(Lines& lines, const RunLosses& losses) {
  for (const auto& [became, what] : DescribeLosses(losses))
    lines.Print("", fmt::format("{}: {}", became, what));
}

void PrintOne(Lines& lines, const RunNote& run, bool has_estimates) {
  const std::string jvm = Joined({run.jvm_vendor, run.jvm_build, run.architecture}, ", ");
  lines.Print("run:", Joined({Program(run) + (jvm.empty() ? jvm : " (" + jvm + ")"),
                              IfAny("iprofagent ", run.agent)},
                             ", "));
  lines.Print("", Window(run));
  lines.Print("", Joined({IfAny("tables: ", run.tables), IfAny("from ", run.source),
                          IfAny("options: ", run.options)},
                         ", "));
  if (run.exactness) lines.Print("", IfAny("counts: ", run.exactness->Describe(has_estimates)));
  PrintLosses(lines, run.losses);
}

void PrintSeveral(Lines& lines, const std::vector<RunNote>& runs, size_t older) {
  std::map<std::string, int64_t> sums;
  for (const RunNote& run : runs) {
    for (const auto& [name, count] : run.losses) sums[name] = SaturatingAdd(sums[name], count);
  }
  lines.Print("runs:", Grouped(runs.size() + older));
  const size_t hidden = runs.size() - std::min(runs.size(), kMostRuns);
  if (older + hidden > 0) lines.Print("", Counted(older + hidden, "earlier one", "earlier ones"));
  for (size_t r = hidden; r < runs.size(); ++r)
    lines.Print("", Joined({Program(runs[r]), Window(runs[r])}, ", "));
  PrintLosses(lines, RunLosses(sums.begin(), sums.end()));
}

double Ms(int64_t ns) { return static_cast<double>(ns) / 1e6; }

// "every 10 ms", "interval=auto: every 1 to 8 ms"
std::string DescribeInterval(const SamplingSum& sum) {
  const auto adapted = sum.Adapted();
  if (!adapted) return fmt::format("every {} ms", Ms(sum.Kind().second));
  const auto [first, last] = *adapted;
  if (first == last) return fmt::format("interval=auto: every {} ms", Ms(first));
  return fmt::format("interval=auto: every {} to {} ms", Ms(first), Ms(last));
}

std::string Describe(const SamplingSum& sum) {
  return fmt::format("{}, {}, {}, {} failed", sum.Kind().first, DescribeInterval(sum),
                     Counted(sum.Number("signals"), "signal", "signals"),
                     Grouped(sum.Number("failed")));
}

}  // namespace

void PrintProvenance(Console& console, const AgentSection& section, const Layout& layout) {
  Lines lines(console, layout);
  const RunList list = RunsOf(section);
  const std::vector<RunNote> runs = list.Runs();
  if (runs.size() == 1 && list.older() == 0) {
    PrintOne(lines, runs.front(), section.Part(kEstimatesPart).has_value());
  } else if (!runs.empty()) {
    PrintSeveral(lines, runs, list.older());
  }
  if (const auto sampling = SamplingOf(section)) lines.Print("sampling:", Describe(*sampling));
}

void PrintProvenance(JsonText& json, const AgentSection& section) {
  const RunList list = RunsOf(section);
  if (list.empty()) return;
  json.Objects("runs", list.Runs(), [&](const RunNote& run) {
    const auto text = [&](std::string_view name, const std::string& value) {
      if (!value.empty()) json.Field(name, value);
    };
    text("run", run.run);
    text("agent", run.agent);
    text("options", run.options);
    text("jvm_vendor", run.jvm_vendor);
    text("jvm_version", run.jvm_version);
    text("jvm_build", run.jvm_build);
    text("architecture", run.architecture);
    text("program", run.program);
    text("source", run.source);
    text("tables", run.tables);
    text("begin", run.begin);
    if (run.start_ms > 0) json.Field("start", UtcText(run.start_ms));
    if (run.end_ms > 0) json.Field("end", UtcText(run.end_ms));
    json.Field("recorded_ms", run.recorded_ms);
    if (run.exactness) {
      json.Key("methods");
      json.StartObject();
      json.Field("exact", run.exactness->exact);
      json.Field("within_k", run.exactness->within_k);
      json.Field("unknown", run.exactness->unknown);
      if (run.exactness->KnowsK()) json.Field("largest_k", run.exactness->largest_k);
      json.EndObject();
    }
    json.Key("losses");
    json.StartObject();
    for (const auto& [name, count] : run.losses) json.Field(name, count);
    json.EndObject();
  });
  json.Field("older_runs", list.older());
}

}  // namespace iprof::cli
