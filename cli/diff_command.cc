// iprof diff: prints what DiffProfiles finds.
#include "cli/entries.h"
#include "cli/json_text.h"
#include "cli/option_kinds.h"
#include "cli/profile_files.h"
#include "cli/table_names.h"
#include "cli/terminal_text.h"
#include "writer/ops/code_difference.h"
#include "writer/ops/diff.h"

namespace iprof::cli {
namespace {

std::string_view KindName(DiffKind kind) {
  switch (kind) {
    case DiffKind::kOnlyInA:
      return "only A";
    case DiffKind::kOnlyInB:
      return "only B";
    case DiffKind::kMoved:
      return "moved";
  }
  return {};
}

class DiffCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddProfile(options, "a", a_, "The profile to compare from");
    AddProfile(options, "b", b_, "The profile to compare to");
    AddShare(options, "--threshold", options_.threshold,
             "Leave out smaller changes. A site's change is half the sum of the differences of its "
             "probabilities; a share's is its relative change (default: 5%)");
    AddTables(options, tables_);
    AddCount(options, "-n,--topn", topn_, "Print at most N of each list (default: 20; 0: all)");
    options.AddFlag("--exit-code", exit_code_, "Exit with 1 when there are differences");
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    if (a_ == "-" && b_ == "-") {
      return console.Error(Status(Code::kUsage, "standard input ('-') can be read only once"));
    }
    const Result<Profile> a = ReadInput(console, a_);
    if (!a.ok()) return console.Error(a.status());
    const Result<Profile> b = ReadInput(console, b_);
    if (!b.ok()) return console.Error(b.status());
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
    if (format_ == "json") {
      PrintJson(console, diff);
    } else {
      PrintText(console, diff);
    }
    return exit_code_ && !diff.empty() ? ExitCode::kFindings : ExitCode::kOk;
  }

 private:
  size_t Limit(size_t size) const { return topn_ == 0 ? size : std::min(size, topn_); }

  void PrintNames(Console& console, std::string_view title,
                  const std::vector<std::string>& names) const {
    if (names.empty()) return;
    console.Write("\n");
    console.Heading(fmt::format("{} ({})", title, names.size()));
    for (size_t i = 0; i < Limit(names.size()); ++i) {
      console.Print("  {}\n", EscapeForTerminal(names[i]));
    }
    PrintRest(console, names.size());
  }

  void PrintRest(Console& console, size_t size) const {
    if (Limit(size) < size) console.Print("  ... and {} more\n", size - Limit(size));
  }

  void PrintItem(Console& console, const DiffItem& item) const {
    const std::string context = item.context.empty() ? "(all monitors)" : item.context;
    console.Print("{:>10.4f}%  {:<11} {:<7} {}\n", item.importance * 100, ShortName(item.table),
                  KindName(item.kind), EscapeForTerminal(context));
    const std::string_view indent = "             ";
    console.Print("{}share of the table {:.4f}% -> {:.4f}%, count {} -> {}\n", indent,
                  item.share_a * 100, item.share_b * 100, item.total_a, item.total_b);
    for (const DiffOutcome& outcome : item.outcomes) {
      console.Print("{}  {}: {:.2f}% -> {:.2f}%\n", indent, EscapeForTerminal(outcome.name),
                    outcome.share_a * 100, outcome.share_b * 100);
    }
  }

  void PrintText(Console& console, const ProfileDiff& diff) const {
    console.Print("A: {}\nB: {}\n", EscapeForTerminal(a_), EscapeForTerminal(b_));
    if (code_.differing > 0) {
      console.Print("{}, so their positions cannot be compared\n", code_.Describe());
    }
    if (diff.empty()) {
      console.Write("\nno differences\n");
      return;
    }
    if (!diff.items.empty()) {
      console.Write("\n");
      console.Heading(fmt::format("differences by importance ({})", diff.items.size()));
      for (size_t i = 0; i < Limit(diff.items.size()); ++i) PrintItem(console, diff.items[i]);
      PrintRest(console, diff.items.size());
    }
    PrintNames(console, "methods only in A", diff.methods_only_in_a);
    PrintNames(console, "methods only in B", diff.methods_only_in_b);
    PrintNames(console, "types only in A", diff.types_only_in_a);
    PrintNames(console, "types only in B", diff.types_only_in_b);
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
      json.Field("context", item.context);
      json.ShareField("importance", item.importance);
      json.ShareField("movement", item.movement);
      json.ShareField("share_a", item.share_a);
      json.ShareField("share_b", item.share_b);
      json.Field("count_a", item.total_a);
      json.Field("count_b", item.total_b);
      json.Key("outcomes");
      json.StartArray();
      for (const DiffOutcome& outcome : item.outcomes) {
        json.StartObject();
        json.Field("name", outcome.name);
        json.ShareField("share_a", outcome.share_a);
        json.ShareField("share_b", outcome.share_b);
        json.EndObject();
      }
      json.EndArray();
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
  size_t topn_ = 20;
  bool exit_code_ = false;
  std::string format_ = "text";
};

constexpr Example kExamples[] = {
    {"iprof diff old.iprof new.iprof", "What changed, the most important first."},
    {"iprof diff --threshold 10% --exit-code old.iprof new.iprof",
     "Fail a build if a profile has changed."},
};

}  // namespace

const CommandEntry kDiffEntry = {
    "diff", "Show the differences between two profiles, the most important first",
    "Compares shares, not counts, so that the length of a run makes no difference. Lists contexts, "
    "methods and types that only one profile has, and branch probabilities, receiver mixes and "
    "shares of calls and samples that changed. Importance is the entry's share of its table times "
    "the size of its change.",
    kExamples, [] { return std::unique_ptr<Command>(new DiffCommand); }};

}  // namespace iprof::cli
