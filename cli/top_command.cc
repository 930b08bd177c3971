// iprof top: prints what ComputeFlatProfile finds.
#include <algorithm>

#include "cli/entries.h"
#include "cli/json_text.h"
#include "cli/option_kinds.h"
#include "cli/profile_files.h"
#include "cli/terminal_text.h"
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
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    const Result<Profile> profile = ReadInput(console, path_);
    if (!profile.ok()) return console.Error(profile.status());
    const FlatKey key = by_ == "method" ? FlatKey::kMethod
                        : by_ == "line" ? FlatKey::kLine
                        : by_ == "bci"  ? FlatKey::kPosition
                                        : FlatKey::kPackage;
    FlatProfile flat = ComputeFlatProfile(*profile, key);
    if (sort_ == "total") {
      std::stable_sort(flat.rows.begin(), flat.rows.end(),
                       [](const FlatRow& a, const FlatRow& b) { return a.total > b.total; });
    }
    if (limit_ != 0 && flat.rows.size() > limit_) flat.rows.resize(limit_);
    if (key == FlatKey::kLine && !flat.has_lines && flat.total > 0)
      console.Warn(path_ + " has no source lines, so the rows are methods; see --by bci");
    if (format_ == "json") {
      PrintJson(console, flat);
    } else {
      PrintText(console, flat);
    }
    return ExitCode::kOk;
  }

 private:
  static double Share(int64_t part, int64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  }

  void PrintText(Console& console, const FlatProfile& flat) const {
    console.Print("{} samples\n", flat.total);
    if (flat.rows.empty()) return;
    console.Heading(fmt::format("{:>7} {:>10}  {:>7} {:>10}  {}", "self", "", "total", "", by_));
    for (const FlatRow& row : flat.rows) {
      console.Print("{:>6.2f}% {:>10}  {:>6.2f}% {:>10}  {}\n", 100 * Share(row.self, flat.total),
                    row.self, 100 * Share(row.total, flat.total), row.total,
                    EscapeForTerminal(row.name));
    }
  }

  void PrintJson(Console& console, const FlatProfile& flat) const {
    JsonText json(console);
    json.StartObject();
    json.Field("samples", flat.total);
    json.Field("by", by_);
    json.Key("rows");
    json.StartArray();
    for (const FlatRow& row : flat.rows) {
      json.StartObject();
      json.Field("name", row.name);
      json.Field("self", row.self);
      json.Field("total", row.total);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }

  std::string path_;
  std::string by_ = "method";
  std::string sort_ = "self";
  size_t limit_ = 30;
  std::string format_ = "text";
};

constexpr Example kExamples[] = {
    {"iprof top app.iprof", "The thirty methods with the most samples."},
    {"iprof top --by line -n 10 app.iprof", "The ten hottest lines."},
    {"iprof top --by bci --sort total app.iprof", "Bytecode positions by total time."},
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
    "-c' to find the lines.",
    kExamples, [] { return std::unique_ptr<Command>(new TopCommand); }};

}  // namespace iprof::cli
