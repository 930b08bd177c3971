// iprof top: prints what ComputeFlatProfile finds.
#include <algorithm>

#include "cli/files/class_notes.h"
#include "cli/files/code_names.h"
#include "cli/files/file_entries.h"
#include "cli/files/filter_options.h"
#include "cli/files/profile_files.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/ops/flat_profile.h"

namespace iprof::cli {
namespace {

class TopCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddProfile(options, "file", path_, "The profile");
    AddChoice(options, "--by", by_, {"method", "line", "bci", "package"},
              "What a row is: a method, a source line or one bytecode position of a method, a "
              "package (default: method)");
    AddChoice(options, "--sort", sort_, {"self", "total"}, "The order of the rows (default: self)");
    AddCount(options, "-n,--topn", limit_, "Print at most N rows (default: 30; 0: all)");
    filter_.AddTo(options);
    classes_.AddTo(options);
    options.AddFlag("--full", whole_names_,
                    "Print whole names with signatures, on lines of any length");
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    Result<Profile> profile = ReadInput(console, path_);
    if (!profile.ok()) return console.Error(profile.status());
    if (const Status status = classes_.AddNotes(console, *profile); !status.ok())
      return console.Error(status);
    const FlatKey key = by_ == "method" ? FlatKey::kMethod
                        : by_ == "line" ? FlatKey::kLine
                        : by_ == "bci"  ? FlatKey::kPosition
                                        : FlatKey::kPackage;
    const ProfileFilter filter = filter_.filter();
    FlatProfile flat = ComputeFlatProfile(*profile, key, filter);
    const bool is_empty = flat.rows.empty();
    if (sort_ == "total") {
      std::stable_sort(flat.rows.begin(), flat.rows.end(),
                       [](const FlatRow& a, const FlatRow& b) { return a.total > b.total; });
    }
    if (limit_ != 0 && flat.rows.size() > limit_) flat.rows.resize(limit_);
    if (key == FlatKey::kLine && !flat.has_lines && flat.total > 0)
      console.Warn(path_ + " has no source lines, so the rows are methods; see --by bci");
    if (format_ == "json") {
      PrintJson(console, flat);
    } else if (!is_empty) {
      PrintText(console, *profile, flat);
    }
    return is_empty ? WarnOfNoSamples(console, path_, *profile, filter.Describe()) : ExitCode::kOk;
  }

 private:
  // "HashMap.getNode line 571", "HashMap.getNode bci 12 (line 571)", "java.util"
  std::string NameOf(const CodeNames& names, const Profile& profile, const FlatRow& row) const {
    if (row.method == kNoMethod) return EscapeForTerminal(row.name);
    std::string text = by_ == "method" ? names.MethodAndLine(row.method) : names.Method(row.method);
    if (row.line) text += fmt::format(" line {}", *row.line);
    if (!row.bci) return text;
    text += fmt::format(" bci {}", *row.bci);
    const auto line = profile.notes().LineOf(row.method, *row.bci);
    return line ? text + fmt::format(" (line {})", *line) : text;
  }

  void PrintText(Console& console, const Profile& profile, const FlatProfile& flat) const {
    const CodeNames names(profile, whole_names_);
    const size_t width = TerminalWidth(console);
    constexpr size_t kFigures = 46;
    if (!filter_.filter().empty())
      console.Print("only {}; shares are of all samples\n",
                    EscapeForTerminal(filter_.filter().Describe()));
    console.Heading(Counted(flat.total, "sample", "samples"));
    console.Print("{:>20}  {:>20}  {}\n", "in it (self)", "with callees (total)", by_);
    for (const FlatRow& row : flat.rows) {
      const std::string name = NameOf(names, profile, row);
      console.Print("{:>11} {:>8}  {:>11} {:>8}  {}\n", Grouped(row.self),
                    PercentOf(row.self, flat.total), Grouped(row.total),
                    PercentOf(row.total, flat.total),
                    whole_names_ ? name : CutTo(name, width - std::min(width, kFigures)));
    }
  }

  void PrintJson(Console& console, const FlatProfile& flat) const {
    JsonText json(console);
    json.StartObject();
    json.Field("samples", flat.total);
    json.Field("by", by_);
    json.Objects("rows", flat.rows, [&](const FlatRow& row) {
      json.Field("name", row.name);
      json.Field("self", row.self);
      json.Field("total", row.total);
    });
    json.EndObject();
  }

  std::string path_;
  std::string by_ = "method";
  std::string sort_ = "self";
  size_t limit_ = 30;
  FilterOptions filter_;
  ClassFileOptions classes_;
  bool whole_names_ = false;
  std::string format_ = "text";
};

constexpr Example kTopExamples[] = {
    {"iprof top app.iprof", "The thirty methods with the most samples."},
    {"iprof top --by line -n 10 app.iprof", "The ten hottest lines."},
    {"iprof top --by bci --sort total app.iprof", "Bytecode positions by total time."},
    {"iprof top --app app.iprof", "Only the program's own methods, without the JDK's."},
    {"iprof top --by package --sort total app.iprof", "Packages by total time."},
};

}  // namespace

const CommandEntry kTopEntry = {
    "top", "Show where the samples are, by method, line, position or package",
    "Prints two figures for each method (or line, bytecode position, package). Self is the samples "
    "in which it is the innermost frame; total is the samples in which it is anywhere on the "
    "stack. A sample counts once in a total, even if the method is recursive.\n\nLines are those "
    "of the source file. Positions without a known line (native methods, classes without debug "
    "information, classes that were unloaded before the profile was written) are one row per "
    "method. Profiles of other tools have bytecode positions only: use '--by bci', and 'javap -l "
    "-c' to find the lines.\n\nExits with 5 if there are no samples.",
    kTopExamples, [] { return std::unique_ptr<Command>(new TopCommand); }};

}  // namespace iprof::cli
