// iprof overlap: prints what ComputeOverlap and CompareDecisions find.
#include "cli/files/callers_alike.h"
#include "cli/files/file_entries.h"
#include "cli/files/filter_options.h"
#include "cli/files/profile_files.h"
#include "cli/files/table_names.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"
#include "writer/ops/code_difference.h"
#include "writer/ops/decisions.h"
#include "writer/ops/dispatches.h"
#include "writer/ops/overlap.h"

namespace iprof::cli {
namespace {

class OverlapCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddProfile(options, "a", a_, "The first profile");
    AddProfile(options, "b", b_, "The second profile");
    AddTables(options, tables_);
    filter_.AddTo(options);
    options
        .Add("--method", method_,
             "Also print each method that matches: with '*' or '?' the whole name a.b.C.m, "
             "otherwise any part of it")
        .Takes("PATTERN");
    options.AddFlag(
        "--decisions", decisions_,
        "Also print what an image build would decide differently with the second profile; "
        "the first one counts as the truth");
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    if (a_ == "-" && b_ == "-") {
      return console.Error(Status(Code::kUsage, "standard input ('-') can be read only once"));
    }
    Result<Profile> a = ReadInput(console, a_);
    if (!a.ok()) return console.Error(a.status());
    Result<Profile> b = ReadInput(console, b_);
    if (!b.ok()) return console.Error(b.status());
    MakeCallersAlike(console, a_, *a, b_, *b);
    if (decisions_) CompareCalls(*a, *b);  // what is hot depends on all samples
    *a = PartOf(console, a_, std::move(*a), filter_.filter());
    *b = PartOf(console, b_, std::move(*b), filter_.filter());
    const ProfileOverlap overlap = ComputeOverlap(*a, *b, method_);
    std::optional<Decisions> decisions;
    code_ = CompareCode(*a, *b);
    if (decisions_) decisions = CompareDecisions(*a, *b);
    if (format_ == "json") {
      PrintJson(console, overlap, decisions);
    } else {
      PrintText(console, overlap);
      if (decisions) PrintText(console, *decisions);
      if (decisions_) PrintCalls(console);
    }
    if (!method_.empty() && overlap.methods.empty()) {
      console.Warn(fmt::format("no method matches '{}'", method_));
      return ExitCode::kFindings;
    }
    return ExitCode::kOk;
  }

 private:
  static constexpr size_t kMostCalls = 10;  // in text

  void CompareCalls(const Profile& a, const Profile& b) {
    calls_ = CompareDispatches(a, b);
    std::erase_if(calls_.differing, [&](const DispatchDifference& call) {
      return !filter_.filter().Wants(a, call.method);
    });
  }

  static std::string Described(const Dispatch& dispatch) {
    std::string text(NameOf(dispatch.by));
    char separator = ':';
    for (const std::string& target : dispatch.targets) {
      text += std::exchange(separator, ',');
      text += ' ' + target;
    }
    return text;
  }

  void PrintCalls(Console& console) const {
    console.Print(
        "calls         {} of {} with {} receivers would be dispatched to others; samples decide at "
        "{} in A, {} in B\n",
        calls_.differing.size(), calls_.sites, calls_.exact ? "exact" : "estimated",
        calls_.by_samples_a, calls_.by_samples_b);
    for (size_t i = 0; i < std::min(calls_.differing.size(), kMostCalls); ++i) {
      const DispatchDifference& call = calls_.differing[i];
      console.Print("  {}\n    A by {}\n    B by {}\n", EscapeForTerminal(call.context),
                    EscapeForTerminal(Described(call.a)), EscapeForTerminal(Described(call.b)));
    }
    if (calls_.differing.size() > kMostCalls)
      console.Print("  and {} more\n", calls_.differing.size() - kMostCalls);
  }

  static void PrintJsonOf(JsonText& json, std::string_view key, const Dispatch& dispatch) {
    json.Key(key);
    json.StartObject();
    json.Field("by", NameOf(dispatch.by));
    json.Texts("targets", dispatch.targets);
    json.EndObject();
  }

  void PrintJsonOfCalls(JsonText& json) const {
    json.Key("calls");
    json.StartObject();
    json.Field("sites", calls_.sites);
    json.Field("exact", calls_.exact);
    json.Field("by_samples_in_a", calls_.by_samples_a);
    json.Field("by_samples_in_b", calls_.by_samples_b);
    json.Objects("differing", calls_.differing, [&](const DispatchDifference& call) {
      json.Field("context", call.context);
      json.Field("calls", call.calls);
      PrintJsonOf(json, "a", call.a);
      PrintJsonOf(json, "b", call.b);
    });
    json.EndObject();
  }

  std::vector<TableOverlap> Selected(const std::vector<TableOverlap>& overlaps) const {
    std::vector<TableOverlap> selected;
    const std::vector<Table> tables = SelectedTables(tables_);
    for (const TableOverlap& overlap : overlaps) {
      if (std::find(tables.begin(), tables.end(), overlap.table) != tables.end()) {
        selected.push_back(overlap);
      }
    }
    return selected;
  }

  static std::string Percent(const TableOverlap& overlap) {
    return overlap.overlap ? fmt::format("{:.3f}%", *overlap.overlap * 100) : std::string("-");
  }

  void PrintRows(Console& console, const std::vector<TableOverlap>& overlaps,
                 std::string_view indent) const {
    for (const TableOverlap& o : Selected(overlaps)) {
      console.Print("{}{:<12} {:>9}  {:>9} {:>9} {:>9}  {:>18} {:>18}\n", indent,
                    ShortName(o.table), Percent(o), o.keys_in_both, o.keys_only_in_a,
                    o.keys_only_in_b, o.total_a, o.total_b);
    }
  }

  void PrintText(Console& console, const ProfileOverlap& overlap) const {
    console.Print("A: {}\nB: {}\n\n", EscapeForTerminal(NameOfInput(a_)),
                  EscapeForTerminal(NameOfInput(b_)));
    console.Heading(fmt::format("{:<12} {:>9}  {:>9} {:>9} {:>9}  {:>18} {:>18}", "table",
                                "overlap", "in both", "only A", "only B", "total A", "total B"));
    PrintRows(console, overlap.tables, "");
    if (code_.differing > 0) {
      console.Print("\n{}, so their positions cannot be compared\n", code_.Describe());
    }
    for (const SurenessOverlap& kind : overlap.by_sureness) {
      if (Selected(kind.tables).empty()) continue;
      console.Print("\nmethods of which counts are {} in A, in B, or in both\n",
                    NameOf(kind.sureness));
      PrintRows(console, kind.tables, "  ");
    }
    for (const MethodOverlap& method : overlap.methods) {
      console.Print("\n{}\n", EscapeForTerminal(method.method));
      if (Selected(method.tables).empty()) console.Write("  no counts in either profile\n");
      PrintRows(console, method.tables, "  ");
    }
  }

  static void PrintText(Console& console, const Decisions& decisions) {
    const auto percent = [](double share) { return fmt::format("{:.3f}%", share * 100); };
    console.Write("\n");
    console.Heading("decisions of an image build (A is the truth)");
    console.Print(
        "hot methods   {} in A, {} in B; {} of A's weight is hot only in A, {} of B's only in B\n",
        decisions.hot.in_a, decisions.hot.in_b, percent(decisions.hot.missed),
        percent(decisions.hot.extra));
    console.Print(
        "branches      {} of A's weight is known in B; {} is off by more than 10 points, {} "
        "inverted\n",
        percent(decisions.branches.known), percent(decisions.branches.off),
        percent(decisions.branches.inverted));
    console.Print(
        "receivers     {} of A's weight is known in B; {} would be dispatched to other classes\n",
        percent(decisions.receivers.known), percent(decisions.receivers.other));
  }

  static void PrintShares(JsonText& json, std::string_view key,
                          std::initializer_list<std::pair<std::string_view, double>> shares) {
    json.Key(key);
    json.StartObject();
    for (const auto& [name, share] : shares) json.ShareField(name, share);
    json.EndObject();
  }

  void PrintJsonOf(JsonText& json, const Decisions& decisions) const {
    json.Key("decisions");
    json.StartObject();
    json.Key("hot_methods");
    json.StartObject();
    json.Field("in_a", decisions.hot.in_a);
    json.Field("in_b", decisions.hot.in_b);
    json.ShareField("missed", decisions.hot.missed);
    json.ShareField("extra", decisions.hot.extra);
    json.EndObject();
    PrintShares(json, "branches",
                {{"known", decisions.branches.known},
                 {"off_by_more_than_10_points", decisions.branches.off},
                 {"inverted", decisions.branches.inverted}});
    PrintShares(
        json, "receivers",
        {{"known", decisions.receivers.known}, {"other_classes", decisions.receivers.other}});
    PrintJsonOfCalls(json);
    json.EndObject();
  }

  void PrintTables(JsonText& json, const std::vector<TableOverlap>& overlaps) const {
    json.StartArray();
    for (const TableOverlap& o : Selected(overlaps)) {
      json.StartObject();
      json.Field("table", TableKey(o.table));
      json.Key("overlap");
      if (o.overlap) {
        json.Share(*o.overlap);
      } else {
        json.Null();
      }
      json.Field("in_both", o.keys_in_both);
      json.Field("only_in_a", o.keys_only_in_a);
      json.Field("only_in_b", o.keys_only_in_b);
      json.Field("total_a", o.total_a);
      json.Field("total_b", o.total_b);
      json.EndObject();
    }
    json.EndArray();
  }

  void PrintJson(Console& console, const ProfileOverlap& overlap,
                 const std::optional<Decisions>& decisions) const {
    JsonText json(console);
    json.StartObject();
    json.Field("a", a_);
    json.Field("b", b_);
    json.Field("methods_with_code_in_both", code_.compared);
    json.Field("methods_with_other_code", code_.differing);
    json.Key("tables");
    PrintTables(json, overlap.tables);
    if (!overlap.by_sureness.empty()) {
      json.Objects("by_sureness", overlap.by_sureness, [&](const SurenessOverlap& kind) {
        json.Field("sureness", NameOf(kind.sureness));
        json.Key("tables");
        PrintTables(json, kind.tables);
      });
    }
    if (!method_.empty()) {
      json.Objects("methods", overlap.methods, [&](const MethodOverlap& method) {
        json.Field("method", method.method);
        json.Key("tables");
        PrintTables(json, method.tables);
      });
    }
    if (decisions) PrintJsonOf(json, *decisions);
    json.EndObject();
  }

  std::string a_;
  std::string b_;
  std::vector<std::string> tables_;
  FilterOptions filter_;
  std::string method_;
  bool decisions_ = false;
  CodeDifference code_;
  DispatchComparison calls_;
  std::string format_ = "text";
};

constexpr Example kOverlapExamples[] = {
    {"iprof overlap old.iprof new.iprof", "How similar two profiles are, table by table."},
    {"iprof overlap --method 'com.shop.*' old.iprof new.iprof", "The same for each method."},
    {"iprof overlap --decisions exact.iprof estimated.iprof",
     "Also what an image build would decide differently."},
};

}  // namespace

const CommandEntry kOverlapEntry = {
    "overlap", "Measure how similar two profiles are",
    "Prints for each table the sum, over all contexts (and successors, and classes), of the "
    "smaller of the two profiles' shares: 100% for equal distributions with any totals, 0% "
    "if they have nothing in common, '-' if neither has counts. Where a profile says how sure its "
    "methods are, the same for the methods that are exact in both, that are bounded in one, and so "
    "on.",
    kOverlapExamples, [] { return std::unique_ptr<Command>(new OverlapCommand); }};

}  // namespace iprof::cli
