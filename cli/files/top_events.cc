#include "cli/files/top_events.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "cli/files/code_names.h"
#include "cli/files/event_option.h"
#include "cli/files/profile_files.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/ops/event_samples.h"
#include "writer/ops/flat_profile.h"
#include "writer/profile/sample_threads.h"

namespace iprof::cli {
namespace {

struct Row {
  std::string name;   // of JSON
  std::string shown;  // of text
  int64_t self = 0;
  int64_t total = 0;
  int64_t self_samples = 0;
  int64_t total_samples = 0;
};

FlatKey KeyOf(const std::string& by) {
  return by == "method" ? FlatKey::kMethod
         : by == "line" ? FlatKey::kLine
         : by == "bci"  ? FlatKey::kPosition
                        : FlatKey::kPackage;
}

class Printing {
 public:
  Printing(Console& console, const EventTables& events, const TopOfEvents& options)
      : console_(console), events_(events), options_(options) {}

  ExitCode Run() {
    const ClassFrames frames =
        options_.by == "class" ? ClassFrames::kInnermost : ClassFrames::kNone;
    std::optional<Profile> values = Select(EventsAsSamples(events_, options_.value, frames));
    if (!values) return ExitCode::kNoSamples;
    std::optional<Profile> counts;
    if (is_sampled()) counts = Select(SampleCountsOf(events_, options_.value, frames));
    const Profile none;
    const Profile& samples = counts ? *counts : none;
    total_ = values->Total(Table::kSamples);
    samples_ = samples.Total(Table::kSamples);
    std::vector<Row> rows = options_.by == "class"    ? ClassRows(*values, samples)
                            : options_.by == "thread" ? ThreadRows(*values, samples)
                                                      : FlatRows(*values, samples);
    if (rows.empty()) {
      const std::string only = options_.filter.Describe();
      console_.Warn(fmt::format("{} has no {}{}", NameOfInput(options_.path),
                                FactsOf(options_.value).name, only.empty() ? "" : " of " + only));
      return ExitCode::kNoSamples;
    }
    if (options_.sorts_by_total) std::ranges::stable_sort(rows, std::greater<>(), &Row::total);
    if (options_.limit != 0 && rows.size() > options_.limit) rows.resize(options_.limit);
    options_.as_json ? PrintJson(rows) : PrintText(rows);
    return ExitCode::kOk;
  }

 private:
  bool is_sampled() const { return !FactsOf(options_.value).name.starts_with("lock"); }
  // A thread or a class has no callees.
  bool has_total() const { return options_.by != "class" && options_.by != "thread"; }

  // The threads that are wanted, without their frames unless these are the rows.
  std::optional<Profile> Select(Profile profile) const {
    if (options_.by == "thread") return profile;
    return options_.samples->Select(console_, options_.path, std::move(profile));
  }

  std::vector<Row> FlatRows(const Profile& values, const Profile& samples) const {
    const FlatKey key = KeyOf(options_.by);
    std::map<std::string, std::pair<int64_t, int64_t>> counts;
    for (const FlatRow& row : ComputeFlatProfile(samples, key, options_.filter).rows)
      counts[row.name] = {row.self, row.total};
    const CodeNames names(values, options_.whole_names);
    std::vector<Row> rows;
    for (const FlatRow& row : ComputeFlatProfile(values, key, options_.filter).rows) {
      const auto [self, total] = counts[row.name];
      rows.push_back({row.name, NameOf(names, values, row), row.self, row.total, self, total});
    }
    return rows;
  }
  // "HashMap.getNode line 571", "HashMap.getNode bci 12 (line 571)", "java.util"
  static std::string NameOf(const CodeNames& names, const Profile& profile, const FlatRow& row) {
    if (row.method == kNoMethod) return EscapeForTerminal(row.name);
    std::string text = names.Method(row.method);
    if (row.line) text += fmt::format(" line {}", *row.line);
    if (!row.bci) return text;
    text += fmt::format(" bci {}", *row.bci);
    const auto line = profile.notes().LineOf(row.method, *row.bci);
    return line ? text + fmt::format(" (line {})", *line) : text;
  }

  template <typename Sums, typename Shown>
  static std::vector<Row> RowsOf(const Sums& values, const Sums& samples, const Shown& shown) {
    std::map<std::string, int64_t, std::less<>> counts;
    for (const auto& sum : samples) counts[std::string(sum.name)] = sum.weight;
    std::vector<Row> rows;
    for (const auto& sum : values) {
      const std::string name(sum.name);
      rows.push_back({name, shown(name), sum.weight, sum.weight, counts[name], counts[name]});
    }
    return rows;
  }
  std::vector<Row> ClassRows(const Profile& values, const Profile& samples) const {
    return RowsOf(SumsByClass(FilterProfile(values, options_.filter)),
                  SumsByClass(FilterProfile(samples, options_.filter)),
                  [&](const std::string& name) {
                    if (name.empty()) return std::string("(not known)");
                    return EscapeForTerminal(options_.whole_names ? name : ShortTypeName(name));
                  });
  }
  std::vector<Row> ThreadRows(const Profile& values, const Profile& samples) const {
    const Profile part = FilterProfile(values, options_.filter);
    const Profile counts = FilterProfile(samples, options_.filter);
    return RowsOf(ThreadsOf(part), ThreadsOf(counts), ShownThread);
  }

  static std::string ErrorOf(int64_t samples) {
    const double error = ErrorOfSamples(samples);
    if (error == 0) return "";
    return error > 1 ? ">100 %" : fmt::format("{:.0f} %", 100 * error);
  }

  void PrintText(const std::vector<Row>& rows) const {
    if (!options_.filter.empty())
      console_.Print("only {}; shares are of all\n", EscapeForTerminal(options_.filter.Describe()));
    std::string heading = ShownSum(options_.value, total_);
    if (is_sampled())
      heading += fmt::format("; {}, {}", Counted(samples_, "sample", "samples"),
                             ErrorOfSamples(samples_) > 1
                                 ? std::string("too few for a sum")
                                 : "so the sum is right within " + ErrorOf(samples_));
    console_.Heading(heading);
    const std::string error_title = is_sampled() ? fmt::format("{:>7} ", "±") : "";
    const size_t used = (has_total() ? 46 : 24) + (is_sampled() ? 8 : 0);
    const size_t room = options_.whole_names ? SIZE_MAX : LayoutOf(console_).Room(used);
    has_total() ? console_.Print("{:>20}  {:>20} ", "in it (self)", "with callees (total)")
                : console_.Print("{:>20} ", FactsOf(options_.value).name);
    console_.Print("{} {}\n", error_title, options_.by);
    const EventUnit unit = FactsOf(options_.value).unit;
    for (const Row& row : rows) {
      std::string line =
          fmt::format("{:>11} {:>8}", ShownValue(unit, row.self), PercentOf(row.self, total_));
      if (has_total())
        line += fmt::format("  {:>11} {:>8}", ShownValue(unit, row.total),
                            PercentOf(row.total, total_));
      if (is_sampled())
        line += fmt::format(
            " {:>7}", ErrorOf(options_.sorts_by_total ? row.total_samples : row.self_samples));
      console_.Print("{}  {}\n", line, CutTo(row.shown, room));
    }
  }

  void PrintJson(const std::vector<Row>& rows) const {
    const EventValueFacts& facts = FactsOf(options_.value);
    JsonText json(console_);
    json.StartObject();
    json.Field("value", facts.name);
    json.Field("unit", facts.unit == EventUnit::kBytes         ? "bytes"
                       : facts.unit == EventUnit::kNanoseconds ? "nanoseconds"
                                                               : "count");
    json.Field("total", total_);
    if (is_sampled()) json.Field("samples", samples_);
    json.Field("by", options_.by);
    json.Objects("rows", rows, [&](const Row& row) {
      json.Field("name", row.name);
      json.Field("self", row.self);
      json.Field("total", row.total);
      if (!is_sampled()) return;
      json.Field("self_samples", row.self_samples);
      json.Field("total_samples", row.total_samples);
    });
    json.EndObject();
  }

  Console& console_;
  const EventTables& events_;
  const TopOfEvents& options_;
  int64_t total_ = 0;
  int64_t samples_ = 0;
};

}  // namespace

ExitCode PrintTop(Console& console, const EventTables& events, const TopOfEvents& options) {
  return Printing(console, events, options).Run();
}

}  // namespace iprof::cli
