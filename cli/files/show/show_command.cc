// iprof show: the overview of a profile; show_method.cc has --method.
#include <optional>

#include "cli/files/class_notes.h"
#include "cli/files/file_entries.h"
#include "cli/files/filter_options.h"
#include "cli/files/profile_files.h"
#include "cli/files/sample_option.h"
#include "cli/files/show/show.h"
#include "cli/files/table_names.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/text_layout.h"

namespace iprof::cli {
namespace {

class ShowCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddProfile(options, "file", file_, "The profile; '-' is standard input");
    AddTables(options, tables_);
    AddCount(options, "-n,--topn", options_.topn,
             "The length of the lists (default: 10; 0: everything)");
    options
        .Add("--method", options_.method,
             "Print everything about the methods that match: with '*' or '?' the whole name "
             "a.b.C.m, otherwise any part of it")
        .Takes("PATTERN");
    samples_.AddTo(options);
    filter_.AddTo(options);
    classes_.AddTo(options);
    AddCount(options, "--cutoff", options_.cutoff, "Leave out entries whose count is below N");
    options.AddFlag(
        "--full", options_.whole_names,
        "Print whole names with signatures, and whole stacks, each position by itself, on "
        "lines of any length");
    options.AddFlag("--stats", options_.stats,
                    "Also print how deep contexts are, what is declared, and which extra keys the "
                    "file has");
    options.AddFlag(
        "--detailed-summary", options_.detailed,
        "Print how many contexts make up 10%, 50%, 90%, 99% and 99.9% of each table's total");
    options.AddFlag("--all", all_, "List everything, as -n 0");
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    options_.tables = SelectedTables(tables_);
    options_.file = file_;
    options_.layout = options_.whole_names ? kWholeLines : LayoutOf(console);
    if (all_) options_.topn = 0;
    Result<Profile> read = ReadInput(console, file_, samples_.labels());
    if (!read.ok()) return console.Error(read.status());
    std::optional<Profile> profile = samples_.Select(console, file_, std::move(*read));
    if (!profile) return ExitCode::kNoSamples;
    if (const Status status = classes_.AddNotes(console, *profile); !status.ok())
      return console.Error(status);
    for (const Table table : kAllTables)
      options_.totals[static_cast<size_t>(table)] = profile->Total(table);
    options_.hot = HotSetOf(*profile);
    if (const ProfileFilter filter = filter_.filter(); !filter.empty()) {
      WarnIfNothingMatches(console, file_, *profile, filter);
      profile = FilterProfile(*profile, filter);
      options_.filter = filter;
    }
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
  SampleOption samples_;
  FilterOptions filter_;
  ClassFileOptions classes_;
  ShowOptions options_;
  bool all_ = false;
  std::string format_ = "text";
};

constexpr Example kShowExamples[] = {
    {"iprof show app.iprof", "An overview."},
    {"iprof show --app app.iprof", "Only the program's own classes, without the JDK."},
    {"iprof show --classes app.jar --jdk /usr/lib/jvm/jdk-21 app.iprof",
     "With source lines, for a profile that has none."},
    {"iprof show --method 'com.shop.Cart.*' app.iprof",
     "Everything about some methods, and what GraalVM would make of it."},
    {"iprof show --table branches -n 0 --cutoff 1000 app.iprof",
     "Every branch that ran a thousand times."},
    {"iprof show --detailed-summary app.iprof", "How few contexts make up most of the total."},
};

}  // namespace

const CommandEntry kShowEntry = {
    "show", "Show what is in a profile",
    "Prints where the profile comes from, the totals of its tables, and the hottest methods, "
    "branches, call sites, locks and stacks, with their source lines if the profile has them. "
    "Names are short; --full prints them with packages and signatures.\n\n"
    "With --method it prints everything about each method instead. Where GraalVM's image builder "
    "would use other numbers than were recorded, it prints those, too. Exits with 1 if no method "
    "matches.\n\n"
    "Lines are as wide as COLUMNS says, or as the terminal. In a pipe they have 80 characters, and "
    "more where a name needs them. With --include, --exclude, --package or --app, shares remain "
    "shares of the whole profile.",
    kShowExamples, [] { return std::unique_ptr<Command>(new ShowCommand); }};

}  // namespace iprof::cli
