// iprof diff: prints what DiffProfiles finds.
#include "cli/files/callers_alike.h"
#include "cli/files/class_notes.h"
#include "cli/files/code_names.h"
#include "cli/files/diff_events.h"
#include "cli/files/event_option.h"
#include "cli/files/file_entries.h"
#include "cli/files/filter_options.h"
#include "cli/files/profile_files.h"
#include "cli/files/table_names.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/ops/code_difference.h"
#include "writer/ops/diff.h"

namespace iprof::cli {
namespace {

constexpr size_t kMostOutcomes = 6;

std::string Methods(const std::vector<std::string>& names) {
  return Counted(names.size(), "method", "methods");
}
std::string Types(const std::vector<std::string>& names) {
  return Counted(names.size(), "type", "types");
}

std::string_view WhatIs(const DiffItem& item) {
  switch (item.scope) {
    case DiffScope::kLeaf:
      return "samples in";
    case DiffScope::kMethod:
      return "samples in or below";
    case DiffScope::kEntry:
      break;
  }
  switch (item.table) {
    case Table::kCalls:
      return "calls of";
    case Table::kConditionals:
      return "branch";
    case Table::kVirtualInvokes:
      return "receivers";
    case Table::kMonitors:
      return "locks";
    case Table::kSamples:
      return "stack";
    case Table::kInstanceOfs:
      return "type check";
  }
  return {};
}

std::string Percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

class DiffCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddProfile(options, "a", a_, "The profile to compare from");
    AddProfile(options, "b", b_, "The profile to compare to");
    threshold_option_ = AddShare(
        options, "--threshold", options_.threshold,
        "Leave out smaller changes. A site's change is half the sum of the differences of its "
        "probabilities; that of calls and samples is relative (default: 5%)");
    min_weight_option_ = AddShare(
        options, "--min-weight", options_.min_weight,
        "Leave out what has a smaller share of its table in both profiles (default: 0.1%)");
    AddTables(options, tables_);
    value_.AddTo(options, "What to compare");
    filter_.AddTo(options);
    classes_.AddTo(options);
    AddCount(options, "-n,--topn", topn_, "Print at most N of each list (default: 20; 0: all)");
    options.AddFlag("--exit-code", exit_code_,
                    "Exit with 1 when there are differences, as with --threshold or --min-weight");
    options.AddFlag("--declared", declared_,
                    "Also list methods and types that only one profile declares");
    options.AddFlag("--full", whole_names_,
                    "Print whole names with signatures, on lines of any length");
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    if (a_ == "-" && b_ == "-") {
      return console.Error(Status(Code::kUsage, "standard input ('-') can be read only once"));
    }
    if (value_.value() && (!tables_.empty() || declared_))
      return console.Error(
          Status(Code::kUsage, "--value is of classes and methods: no --table, no --declared"));
    Result<Profile> a = ReadPart(console, a_, filter_.filter());
    if (!a.ok()) return console.Error(a.status());
    Result<Profile> b = ReadPart(console, b_, filter_.filter());
    if (!b.ok()) return console.Error(b.status());
    if (value_.value()) return CompareEvents(console, *a, *b);
    MakeCallersAlike(console, a_, *a, b_, *b);
    for (Profile* const profile : {&*a, &*b}) {
      if (const Status status = classes_.AddNotes(console, *profile); !status.ok())
        return console.Error(status);
    }
    ProfileDiff diff = DiffProfiles(*a, *b, options_);
    const std::vector<Table> tables = SelectedTables(tables_);
    std::erase_if(diff.items, [&](const DiffItem& item) {
      return std::find(tables.begin(), tables.end(), item.table) == tables.end();
    });
    if (!tables_.empty()) {
      // The user selected tables, so do not list declarations.
      diff.methods_only_in_a.clear();
      diff.methods_only_in_b.clear();
      diff.types_only_in_a.clear();
      diff.types_only_in_b.clear();
    }
    code_ = CompareCode(*a, *b);
    layout_ = whole_names_ ? kWholeLines : LayoutOf(console);
    if (format_ == "json") {
      PrintJson(console, diff);
    } else {
      PrintText(console, diff);
    }
    return gates() && !diff.items.empty() ? ExitCode::kFindings : ExitCode::kOk;
  }

 private:
  bool gates() const {
    return exit_code_ || threshold_option_.given() || min_weight_option_.given();
  }

  ExitCode CompareEvents(Console& console, const Profile& a, const Profile& b) const {
    const std::optional<EventTables> of_a = value_.Find(console, a_, a);
    const std::optional<EventTables> of_b = value_.Find(console, b_, b);
    if (!of_a || !of_b) return ExitCode::kNoSamples;
    return PrintDiff(console, *of_a, *of_b,
                     {.name_a = a_,
                      .name_b = b_,
                      .value = *value_.value(),
                      .threshold = options_.threshold,
                      .min_weight = options_.min_weight,
                      .limit = topn_,
                      .filter = filter_.filter(),
                      .whole_names = whole_names_,
                      .as_json = format_ == "json",
                      .gates = gates()});
  }

  size_t Limit(size_t size) const { return topn_ == 0 ? size : std::min(size, topn_); }

  void PrintNames(Console& console, std::string_view title,
                  const std::vector<std::string>& names) const {
    if (names.empty()) return;
    console.Write("\n");
    console.Heading(fmt::format("{} ({})", title, names.size()));
    for (size_t i = 0; i < Limit(names.size()); ++i)
      console.Print("  {}\n", CutTo(EscapeForTerminal(names[i]), layout_.Room(2)));
    PrintRest(console, names.size());
  }

  void PrintRest(Console& console, size_t size) const {
    if (Limit(size) < size) console.Print("  … {} more\n", size - Limit(size));
  }

  // "   12.3 %   33.3 %  calls of Cart.total line 20: 4.5 % -> 3.0 %"
  void PrintItem(Console& console, const CodeNames& names, const DiffItem& item) const {
    const std::string change = item.kind == DiffKind::kOnlyInA   ? "only A"
                               : item.kind == DiffKind::kOnlyInB ? "only B"
                                                                 : Percent(item.movement);
    const std::string figures = fmt::format("{:>9} {:>9}  ", Percent(item.weight), change);
    const std::string shares =
        fmt::format(": {} -> {}", Percent(item.share_a), Percent(item.share_b));
    const bool is_site = !item.outcomes.empty();
    const size_t room = layout_.Room(WidthOf(figures) + (is_site ? 0 : WidthOf(shares)));
    console.Print("{}{}{}\n", figures, CutTo(TextOf(names, item), room), is_site ? "" : shares);
    size_t left = whole_names_ || topn_ == 0 ? SIZE_MAX : kMostOutcomes;
    const std::string indent(WidthOf(figures) + 2, ' ');
    for (const DiffOutcome& outcome : item.outcomes) {
      if (left-- == 0) {
        console.Print("{}… {} more\n", indent, item.outcomes.size() - kMostOutcomes);
        break;
      }
      const std::string moved =
          fmt::format(": {} -> {}", Percent(outcome.share_a), Percent(outcome.share_b));
      console.Print(
          "{}{}{}\n", indent,
          CutTo(OutcomeText(names, item, outcome), layout_.Room(indent.size() + WidthOf(moved))),
          moved);
    }
  }

  static std::string TextOf(const CodeNames& names, const DiffItem& item) {
    const std::string what(WhatIs(item));
    if (item.method != kNoMethod) return what + " " + names.Method(item.method);
    if (item.table == Table::kMonitors) return "locks taken, by the class of the object";
    return what + " " + names.Context(item.place, item.table == Table::kCalls);
  }

  static std::string OutcomeText(const CodeNames& names, const DiffItem& item,
                                 const DiffOutcome& outcome) {
    if (outcome.type) return names.Type(*outcome.type);
    if (!outcome.bci) return "elsewhere";
    return fmt::format("to {} (bci {})",
                       names.PlaceIn({names.InnermostMethod(item.place), *outcome.bci}),
                       *outcome.bci);
  }

  void PrintText(Console& console, const ProfileDiff& diff) const {
    console.Print("A: {}\nB: {}\n", EscapeForTerminal(NameOfInput(a_)),
                  EscapeForTerminal(NameOfInput(b_)));
    if (!filter_.filter().empty())
      console.Print("only {}\n", EscapeForTerminal(filter_.filter().Describe()));
    if (code_.differing > 0)
      console.Write(Paragraph(
          "", code_.Describe() + ", so their positions cannot be compared and are left out",
          layout_));
    console.Write("\n");
    if (diff.items.empty()) {
      console.Write(Paragraph(
          "",
          fmt::format("no differences of {} or more, in what has {} or more of its table, "
                      "beyond what chance explains",
                      Percent(options_.threshold), Percent(options_.min_weight)),
          layout_));
    } else {
      const CodeNames names(diff.united, whole_names_);
      console.Heading(fmt::format("Differences, the most important first ({})", diff.items.size()));
      console.Print("{:>9} {:>9}\n", "weight", "change");
      for (size_t i = 0; i < Limit(diff.items.size()); ++i)
        PrintItem(console, names, diff.items[i]);
      PrintRest(console, diff.items.size());
    }
    PrintDeclared(console, diff);
  }

  void PrintDeclared(Console& console, const ProfileDiff& diff) const {
    if (declared_) {
      PrintNames(console, "methods declared only in A", diff.methods_only_in_a);
      PrintNames(console, "methods declared only in B", diff.methods_only_in_b);
      PrintNames(console, "types declared only in A", diff.types_only_in_a);
      PrintNames(console, "types declared only in B", diff.types_only_in_b);
      return;
    }
    const size_t a = diff.methods_only_in_a.size() + diff.types_only_in_a.size();
    const size_t b = diff.methods_only_in_b.size() + diff.types_only_in_b.size();
    if (a + b == 0) return;
    console.Write("\n");
    console.Write(
        Paragraph("",
                  fmt::format("declared only in A: {}, {}; only in B: {}, {} (listed with "
                              "--declared)",
                              Methods(diff.methods_only_in_a), Types(diff.types_only_in_a),
                              Methods(diff.methods_only_in_b), Types(diff.types_only_in_b)),
                  layout_));
  }

  void PrintNames(JsonText& json, std::string_view key,
                  const std::vector<std::string>& names) const {
    json.Field(std::string(key) + "_count", names.size());
    json.Key(key);
    json.StartArray();
    for (size_t i = 0; i < Limit(names.size()); ++i) json.String(names[i]);
    json.EndArray();
  }

  void PrintJson(Console& console, const ProfileDiff& diff) const {
    JsonText json(console);
    json.StartObject();
    json.Field("a", a_);
    json.Field("b", b_);
    json.Field("methods_with_code_in_both", code_.compared);
    json.Field("methods_with_other_code", code_.differing);
    json.Field("differences", diff.items.size());
    json.Key("items");
    json.StartArray();
    for (size_t i = 0; i < Limit(diff.items.size()); ++i) {
      const DiffItem& item = diff.items[i];
      json.StartObject();
      json.Field("table", TableKey(item.table));
      json.Field("kind", item.kind == DiffKind::kMoved     ? "moved"
                         : item.kind == DiffKind::kOnlyInA ? "only_in_a"
                                                           : "only_in_b");
      json.Field("scope", item.scope == DiffScope::kLeaf     ? "leaf"
                          : item.scope == DiffScope::kMethod ? "method"
                                                             : "entry");
      json.Field("context", item.context);
      json.ShareField("weight", item.weight);
      json.ShareField("importance", item.importance);
      json.ShareField("movement", item.movement);
      json.ShareField("share_a", item.share_a);
      json.ShareField("share_b", item.share_b);
      json.Field("count_a", item.total_a);
      json.Field("count_b", item.total_b);
      json.Objects("outcomes", item.outcomes, [&](const DiffOutcome& outcome) {
        json.Field("name", outcome.name);
        json.ShareField("share_a", outcome.share_a);
        json.ShareField("share_b", outcome.share_b);
      });
      json.EndObject();
    }
    json.EndArray();
    PrintNames(json, "methods_only_in_a", diff.methods_only_in_a);
    PrintNames(json, "methods_only_in_b", diff.methods_only_in_b);
    PrintNames(json, "types_only_in_a", diff.types_only_in_a);
    PrintNames(json, "types_only_in_b", diff.types_only_in_b);
    json.EndObject();
  }

  std::string a_;
  std::string b_;
  DiffOptions options_;
  CodeDifference code_;
  std::vector<std::string> tables_;
  EventOption value_;
  FilterOptions filter_;
  ClassFileOptions classes_;
  size_t topn_ = 20;
  bool exit_code_ = false;
  bool declared_ = false;
  bool whole_names_ = false;
  Layout layout_;
  OptionRow threshold_option_;
  OptionRow min_weight_option_;
  std::string format_ = "text";
};

constexpr Example kDiffExamples[] = {
    {"iprof diff old.iprof new.iprof", "What changed, the most important first."},
    {"iprof diff --threshold 10% --min-weight 1% old.iprof new.iprof",
     "Fail a build if something of weight has changed by a tenth."},
    {"iprof diff --value alloc-bytes old.iprof new.iprof",
     "Which classes and methods allocate more or less."},
    {"iprof diff --app old.iprof new.iprof", "Only the program's own classes, without the JDK."},
};

}  // namespace

const CommandEntry kDiffEntry = {
    "diff", "Show the differences between two profiles, the most important first",
    "Lists branch probabilities, receiver mixes, and shares of calls, locks and samples that "
    "changed. "
    "Importance is the entry's share of its table (its weight) times the size of its change. Left "
    "out "
    "are changes below --threshold, entries below --min-weight, what chance explains, given how "
    "often "
    "something was counted, what the length of the run explains, and positions in methods whose "
    "code differs.\n\n"
    "Samples are compared by whole stack, by the method that was running, and by method anywhere "
    "on "
    "the stack.\n\n"
    "--value compares allocations or waits instead: sums by class and by method, so both runs "
    "should do the same work. A difference of sampled values has an error. What is within it may "
    "be "
    "chance, and is none for the exit code.\n\n"
    "With --exit-code, --threshold or --min-weight it exits with 1 if there are differences. What "
    "is "
    "only declared makes no difference.",
    kDiffExamples, [] { return std::unique_ptr<Command>(new DiffCommand); }};

}  // namespace iprof::cli
