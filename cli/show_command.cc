// iprof show: the overview of a profile; show_method.cc has --method.
#include "cli/entries.h"
#include "cli/option_kinds.h"
#include "cli/profile_files.h"
#include "cli/show.h"
#include "cli/table_names.h"

namespace iprof::cli {
namespace {

class ShowCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddProfile(options, "file", file_, "The profile; '-' is standard input");
    AddTables(options, tables_);
    AddCount(options, "-n,--topn", options_.topn, "The length of the lists (default: 10)");
    options
        .Add("--method", options_.method,
             "Print everything about the methods that match: with '*' or '?' the whole name "
             "a.b.C.m, otherwise any part of it")
        .Takes("PATTERN");
    AddCount(options, "--cutoff", options_.cutoff, "Leave out entries whose count is below N");
    options.AddFlag(
        "--detailed-summary", options_.detailed,
        "Print how many contexts make up 10%, 50%, 90%, 99% and 99.9% of each table's total");
    options.AddFlag("--all", options_.all, "List all, not only the hottest");
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    options_.tables = SelectedTables(tables_);
    options_.file = file_;
    const Result<Profile> profile = ReadInput(console, file_);
    if (!profile.ok()) return console.Error(profile.status());
    const bool json = format_ == "json";
    if (options_.method.empty()) {
      json ? ShowJson(console, *profile, options_) : ShowText(console, *profile, options_);
      return ExitCode::kOk;
    }
    const bool found = json ? ShowMethodsJson(console, *profile, options_)
                            : ShowMethodsText(console, *profile, options_);
    if (found) return ExitCode::kOk;
    console.Warn(fmt::format("no method matches '{}'", options_.method));
    return ExitCode::kFindings;
  }

 private:
  std::string file_;
  std::vector<std::string> tables_;
  ShowOptions options_;
  std::string format_ = "text";
};

constexpr Example kExamples[] = {
    {"iprof show app.iprof", "An overview."},
    {"iprof show --method 'com.shop.Cart.*' app.iprof",
     "Everything about some methods, and what GraalVM would make of it."},
    {"iprof show --table branches --all --cutoff 1000 app.iprof",
     "Every branch that ran a thousand times."},
    {"iprof show --detailed-summary app.iprof", "How few contexts make up most of the total."},
};

}  // namespace

const CommandEntry kShowEntry = {
    "show", "Show what is in a profile",
    "Prints version and sizes, totals per table, how deep the "
    "contexts are, and the hottest methods, branches, "
    "call sites, monitors and samples, by name.\n\n"
    "With --method it prints everything about each method instead, and what the consumer "
    "(GraalVM's image builder) would find: call count, probability of each successor, shares of "
    "receivers. Exits with 1 if no method matches.",
    kExamples, [] { return std::unique_ptr<Command>(new ShowCommand); }};

}  // namespace iprof::cli
