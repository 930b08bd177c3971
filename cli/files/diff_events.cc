#include "cli/files/diff_events.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>
#include <vector>

#include "cli/files/code_names.h"
#include "cli/files/event_option.h"
#include "cli/files/profile_files.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/ops/event_samples.h"
#include "writer/ops/flat_profile.h"

namespace iprof::cli {
namespace {

// Of one profile.
struct Sum {
  int64_t value = 0;
  int64_t samples = 0;
};

struct Row {
  std::string name;   // of JSON
  std::string shown;  // of text
  Sum a;
  Sum b;

  int64_t change() const { return b.value - a.value; }
  double error() const {
    return std::hypot(ErrorOfSamples(a.samples) * static_cast<double>(a.value),
                      ErrorOfSamples(b.samples) * static_cast<double>(b.value));
  }
  bool is_within_error() const { return std::abs(static_cast<double>(change())) <= error(); }
  // 1: it was or is nothing.
  double relative() const {
    const int64_t most = std::max(a.value, b.value);
    return most == 0 ? 0 : static_cast<double>(std::abs(change())) / static_cast<double>(most);
  }
};

using Rows = std::map<std::string, Row>;

class Comparison {
 public:
  Comparison(Console& console, const EventTables& a, const EventTables& b,
             const DiffOfEvents& options)
      : console_(console), options_(options), unit_(FactsOf(options.value).unit) {
    Add(a, &Row::a);
    Add(b, &Row::b);
  }

  ExitCode Run() {
    const std::vector<Row> classes = Chosen(by_class_);
    const std::vector<Row> methods = Chosen(by_method_);
    options_.as_json ? PrintJson(classes, methods) : PrintText(classes, methods);
    const auto is_sure = [](const Row& row) { return !row.is_within_error(); };
    const bool differ =
        std::ranges::any_of(classes, is_sure) || std::ranges::any_of(methods, is_sure);
    return options_.gates && differ ? ExitCode::kFindings : ExitCode::kOk;
  }

 private:
  bool is_sampled() const { return !FactsOf(options_.value).name.starts_with("lock"); }

  void Add(const EventTables& all, Sum Row::*side) {
    const EventTables events = FilterEvents(all, options_.filter);
    const auto with_classes = [&](const auto& samples_of, int64_t Sum::*figure) {
      for (const ClassSum& sum :
           SumsByClass(samples_of(events, options_.value, ClassFrames::kInnermost))) {
        Row& row = by_class_[sum.name];
        row.name = sum.name;
        row.shown =
            sum.name.empty()
                ? "(not known)"
                : EscapeForTerminal(options_.whole_names ? sum.name : ShortTypeName(sum.name));
        row.*side.*figure = sum.weight;
        sum_.*side.*figure += sum.weight;
      }
    };
    with_classes(EventsAsSamples, &Sum::value);
    with_classes(SampleCountsOf, &Sum::samples);
    const auto with_methods = [&](const Profile& profile, int64_t Sum::*figure) {
      const CodeNames names(profile, options_.whole_names);
      for (const FlatRow& flat :
           ComputeFlatProfile(profile, FlatKey::kMethod, options_.filter).rows) {
        if (flat.self == 0) continue;
        Row& row = by_method_[flat.name];
        row.name = flat.name;
        row.shown = names.Method(flat.method);
        row.*side.*figure = flat.self;
      }
    };
    with_methods(EventsAsSamples(events, options_.value, ClassFrames::kNone), &Sum::value);
    with_methods(SampleCountsOf(events, options_.value, ClassFrames::kNone), &Sum::samples);
  }

  static double Share(int64_t part, int64_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  }
  std::vector<Row> Chosen(const Rows& rows) const {
    std::vector<Row> chosen;
    for (const auto& [name, row] : rows) {
      const double weight =
          std::max(Share(row.a.value, sum_.a.value), Share(row.b.value, sum_.b.value));
      if (row.change() != 0 && row.relative() >= options_.threshold &&
          weight >= options_.min_weight)
        chosen.push_back(row);
    }
    std::ranges::stable_sort(chosen, {}, [](const Row& row) {
      return std::tuple(row.is_within_error(), -std::abs(row.change()));
    });
    return chosen;
  }
  size_t Limit(size_t size) const {
    return options_.limit == 0 ? size : std::min(size, options_.limit);
  }

  std::string Shown(int64_t value) const { return ShownValue(unit_, value); }
  // "+2.6 MB"
  std::string ShownChange(const Row& row) const {
    const int64_t change = row.change();
    return (change > 0 ? "+" : change < 0 ? "-" : "") + Shown(std::abs(change));
  }
  std::string ShownError(const Row& row) const {
    return Shown(static_cast<int64_t>(std::ceil(row.error())));
  }

  void PrintText(const std::vector<Row>& classes, const std::vector<Row>& methods) const {
    console_.Print("A: {}\nB: {}\n", EscapeForTerminal(NameOfInput(options_.name_a)),
                   EscapeForTerminal(NameOfInput(options_.name_b)));
    if (!options_.filter.empty())
      console_.Print("only {}\n", EscapeForTerminal(options_.filter.Describe()));
    std::string line = fmt::format("{}: {} -> {}", FactsOf(options_.value).name,
                                   Shown(sum_.a.value), Shown(sum_.b.value));
    if (sum_.change() != 0) line += fmt::format(", {}", ShownChange(sum_));
    if (is_sampled()) line += fmt::format(" ± {}", ShownError(sum_));
    if (is_sampled() && sum_.is_within_error()) line += ": no difference beyond the error";
    console_.Print("\n{}\n", line);
    PrintRows("class", classes);
    PrintRows("method", methods);
  }

  void PrintRows(std::string_view by, const std::vector<Row>& rows) const {
    console_.Write("\n");
    if (rows.empty()) {
      console_.Print("no {} differs by {:.1f} % or more\n", by, 100 * options_.threshold);
      return;
    }
    const std::string error_title = is_sampled() ? fmt::format("{:>10}  ", "±") : "";
    console_.Heading(
        fmt::format("{:>10}  {:>10}  {:>11}  {}{}", "A", "B", "change", error_title, by));
    constexpr std::string_view kWithin = " (within the error)";
    const size_t used = 37 + (is_sampled() ? 12 + kWithin.size() : 0);
    const size_t room = options_.whole_names ? SIZE_MAX : LayoutOf(console_).Room(used);
    for (size_t i = 0; i < Limit(rows.size()); ++i) {
      const Row& row = rows[i];
      std::string line = fmt::format("{:>10}  {:>10}  {:>11}  ", Shown(row.a.value),
                                     Shown(row.b.value), ShownChange(row));
      if (is_sampled()) line += fmt::format("{:>10}  ", ShownError(row));
      console_.Print("{}{}{}\n", line, CutTo(row.shown, room),
                     is_sampled() && row.is_within_error() ? kWithin : "");
    }
    if (Limit(rows.size()) < rows.size())
      console_.Print("  … {} more\n", rows.size() - Limit(rows.size()));
  }

  void PrintFields(JsonText& json, const Row& row) const {
    json.Field("a", row.a.value);
    json.Field("b", row.b.value);
    if (!is_sampled()) return;
    json.Field("samples_a", row.a.samples);
    json.Field("samples_b", row.b.samples);
    json.Field("error", static_cast<int64_t>(std::ceil(row.error())));
    json.Field("within_error", row.is_within_error());
  }
  void PrintJson(const std::vector<Row>& classes, const std::vector<Row>& methods) const {
    JsonText json(console_);
    json.StartObject();
    json.Field("file_a", options_.name_a);
    json.Field("file_b", options_.name_b);
    json.Field("value", FactsOf(options_.value).name);
    PrintFields(json, sum_);
    for (const auto& [key, rows] : {std::pair("classes", &classes), std::pair("methods", &methods)})
      json.Objects(
          key,
          std::vector(rows->begin(), rows->begin() + static_cast<ptrdiff_t>(Limit(rows->size()))),
          [&](const Row& row) {
            json.Field("name", row.name);
            PrintFields(json, row);
          });
    json.EndObject();
  }

  Console& console_;
  const DiffOfEvents& options_;
  const EventUnit unit_;
  Rows by_class_;
  Rows by_method_;
  Row sum_;
};

}  // namespace

ExitCode PrintDiff(Console& console, const EventTables& a, const EventTables& b,
                   const DiffOfEvents& options) {
  return Comparison(console, a, b, options).Run();
}

}  // namespace iprof::cli
