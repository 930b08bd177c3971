// iprof check: prints what CheckProfile finds, and how a profile fits class files.
#include <algorithm>
#include <iterator>

#include "cli/classpath/class_path.h"
#include "cli/files/class_notes.h"
#include "cli/files/edges/divided_calls.h"
#include "cli/files/file_entries.h"
#include "cli/files/fit_check.h"
#include "cli/files/profile_files.h"
#include "cli/files/table_names.h"
#include "cli/files/target_option.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"
#include "writer/base/grouped.h"
#include "writer/base/join_text.h"
#include "writer/ops/check.h"
#include "writer/profile/io/sampling_sum.h"

namespace iprof::cli {
namespace {

constexpr size_t kMostExcess = 10;  // methods that are named

class CheckCommand : public Command {
 public:
  void Define(OptionList& options) override {
    options.Add("file", files_, "Profiles to check; '-' is standard input")
        .Required()
        .Takes("FILE");
    options.AddFlag("--strict", strict_, "Also report what is legal but doubtful");
    options.AddFlag("-q,--quiet", quiet_, "Print the summary line only");
    AddCount(options, "--max-findings", max_findings_,
             "Print at most N findings per file; all are counted (default: 0, no limit)");
    AddTarget(options, target_);
    options
        .Add("--classpath", fit_.class_path,
             "Also compare with the class files of these jars and folders, joined by ':'; "
             "'FOLDER/*' is all jars of a folder")
        .Takes("FILE");
    options.Add("--jdk", fit_.jdk_home, "Also compare with the classes of the JDK in this folder")
        .Takes("DIR");
    gate_option_ =
        AddShare(options, "--min-applicable", min_applicable_,
                 "With --classpath or --jdk: fail only if less than this share of the weight fits, "
                 "such as 99.5%");
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    if (format_ == "text") console.WrapLines();
    if (fit_.given() && std::find(files_.begin(), files_.end(), "-") != files_.end()) {
      return console.Error(
          Status(Code::kUsage, "--classpath and --jdk read a profile twice, so it cannot be '-'"));
    }
    if (gate_option_.given() && !fit_.given()) {
      return console.Error(
          Status(Code::kUsage, "--min-applicable needs --classpath or --jdk, to compare with"));
    }
    return format_ == "json" ? RunJson(console) : RunText(console);
  }

 private:
  bool Shown(size_t printed) const {
    return !quiet_ && (max_findings_ == 0 || printed < max_findings_);
  }

  Result<CheckCounts> Check(Console& console, const std::string& path, std::string& name,
                            const FindingHandler& on_finding) const {
    CheckCounts counts;
    const Status status =
        WithInput(console, path, [&](ByteSource& source, const std::string& source_name) -> Status {
          name = source_name;
          const Result<CheckCounts> checked =
              CheckProfile(source, source_name, {.strict = strict_}, on_finding);
          if (!checked.ok()) return checked.status();
          counts = *checked;
          return {};
        });
    if (!status.ok()) return status;
    return counts;
  }

  static ExitCode Worse(ExitCode a, ExitCode b) { return a > b ? a : b; }

  ExitCode RunText(Console& console) {
    ExitCode code = ExitCode::kOk;
    for (const std::string& path : files_) {
      size_t printed = 0;
      std::string name = path;
      const Result<CheckCounts> counts = Check(console, path, name, [&](const Finding& finding) {
        if (!Shown(printed)) return;
        ++printed;
        const std::string line =
            fmt::format("{}: byte {}, {}: {} [{}]: found {}, expected {}", name, finding.offset,
                        finding.path, finding.doubtful() ? "doubtful" : "error",
                        InfoOf(finding.rule).name, finding.found, finding.expected);
        console.Print("{}\n", EscapeForTerminal(line));
      });
      if (!counts.ok()) {
        console.Flush();
        code = Worse(code, console.Error(counts.status()));
        continue;
      }
      const size_t findings = counts->errors + counts->doubts;
      if (!quiet_ && printed < findings) {
        console.Print("{}: {} not shown\n", EscapeForTerminal(name),
                      Counted(findings - printed, "more finding is", "more findings are"));
      }
      console.Print(
          "{}: {}, {}, {}: {}", EscapeForTerminal(name), Counted(counts->types, "type", "types"),
          Counted(counts->methods, "declared method", "declared methods"),
          Counted(counts->entries, "entry", "entries"), Counted(counts->errors, "error", "errors"));
      if (strict_) console.Print(", {} doubtful", counts->doubts);
      console.Write("\n");
      if (!quiet_) PrintShare(console, name, *counts);
      if (!quiet_) PrintFewSamples(console, name, counts->sample_signals);
      if (findings != 0) code = Worse(code, ExitCode::kFindings);
      if (!fit_.given()) continue;
      const Result<Fitting> fitting = Fit(console, path);
      if (!fitting.ok()) {
        console.Flush();
        code = Worse(code, console.Error(fitting.status()));
        continue;
      }
      PrintFit(console, name, fitting->fit, Printing());
      if (fitting->edges && !quiet_)
        fitting->edges->Print(console, EscapeForTerminal(name) + ": ", MostExcess());
      if (!Passes(console, name, fitting->fit.fitness)) code = Worse(code, ExitCode::kFindings);
    }
    return code;
  }

  size_t MostExcess() const { return max_findings_ == 0 ? kMostExcess : max_findings_; }

  FitPrinting Printing() const { return {.summary_only = quiet_, .most_stale = max_findings_}; }

  // Without --min-applicable, any stale method is a finding. With it, the reason is said also with --quiet, for a build's log.
  bool Passes(Console& console, const std::string& name, const fitness::Fitness& fit) const {
    if (!gate_option_.given()) return fit.stale.empty();
    constexpr double kBinary = 1e-12;  // 99.5 % has no exact binary form
    const double applicable = fit.Applicability();
    if (applicable >= min_applicable_ * (1 - kBinary)) return true;
    std::string reasons;
    for (const auto& [what, share] : FactsOf(fit).stale)
      reasons += fmt::format("{}{} ({:.1f} %)", reasons.empty() ? ": " : "; ", what, 100 * share);
    if (fit.total.entries == 0) reasons = ": no entry could be compared with the class files";
    console.Warn(
        fmt::format("{}: {:.2f} % applicable by weight, less than --min-applicable {:g} %{}", name,
                    100 * applicable, 100 * min_applicable_, reasons));
    return false;
  }

  // What class files show.
  struct Fitting {
    FitResult fit;
    std::optional<EdgeFacts> edges;  // of an exact profile
  };

  Result<Fitting> Fit(Console& console, const std::string& path) const {
    const Result<Profile> profile = ReadInput(console, path);
    if (!profile.ok()) return profile.status();
    FitOptions options = fit_;
    if (!target_.empty()) options.target = TargetOf(target_, std::nullopt);
    Result<FitResult> fit = CheckFit(*profile, options);
    if (!fit.ok()) return fit.status();
    Fitting made{std::move(*fit), std::nullopt};
    if (IsExact(*profile)) {
      const auto classes = OpenClasses(*profile, fit_.class_path, fit_.jdk_home);
      if (!classes.ok()) return classes.status();
      made.edges = CheckEdges(*profile, *classes);
    }
    return made;
  }

  // The versions of other JDKs than the build's, on which the file was recorded. Empty if its classes are compared.
  std::vector<std::string> OtherJdks(const CheckCounts& counts, ImageTarget target) const {
    std::vector<std::string> others;
    if (!fit_.jdk_home.empty() || counts.jdk_entries == 0) return others;
    std::copy_if(counts.jdks.begin(), counts.jdks.end(), std::back_inserter(others),
                 [&](const std::string& version) {
                   const int jdk = classpath::FeatureRelease(version);
                   return jdk != 0 && jdk != JdkOf(target);
                 });
    return others;
  }

  void PrintOtherJdks(Console& console, const std::string& name, const CheckCounts& counts,
                      ImageTarget target) const {
    const std::vector<std::string> others = OtherJdks(counts, target);
    if (others.empty()) return;
    console.Print(
        "{}: recorded on JDK {}, so {} of the JDK's own methods may not fit JDK {} "
        "(--jdk compares them)\n",
        EscapeForTerminal(name), EscapeForTerminal(JoinText(others, " and ")),
        Counted(counts.jdk_entries, "entry", "entries"), JdkOf(target));
  }

  void PrintShare(Console& console, const std::string& name, const CheckCounts& counts) const {
    const ImageTarget target = TargetOf(target_, counts.image.note);
    const ImageShare& share = counts.image.Of(target);
    if (share.entries() == 0) return;
    console.Print("{}: an image build for JDK {} can use ", EscapeForTerminal(name), JdkOf(target));
    if (share.usable_entries() == share.entries()) {
      console.Print("all entries\n");
      return PrintOtherJdks(console, name, counts, target);
    }
    console.Print(
        "{} of the entries. By weight:\n",
        Percent(static_cast<double>(share.usable_entries()), static_cast<double>(share.entries())));
    const char* separator = "  ";
    for (const Table table : kAllTables) {
      const ImageShare::Part part = share.Of(table);
      if (part.weight == 0 || table == Table::kMonitors) continue;  // monitors have no position
      console.Print(
          "{}{} of the {}", separator,
          Percent(static_cast<double>(part.usable_weight), static_cast<double>(part.weight)),
          ShortName(table));
      separator = ", ";
    }
    console.Write("\n");
    PrintOtherJdks(console, name, counts, target);
  }

  static void PrintFewSamples(Console& console, const std::string& name, int64_t signals) {
    if (signals == 0 || signals >= kFewSignals) return;
    console.Print("{}: {} only, and some consumers ignore fewer than {}\n", EscapeForTerminal(name),
                  Counted(signals, "sample", "samples"), kFewSignals);
  }

  static std::string Percent(double part, double whole) {
    return fmt::format("{:.1f} %", 100 * part / whole);
  }

  void PrintShare(JsonText& json, const CheckCounts& counts) const {
    const ImageTarget target = TargetOf(target_, counts.image.note);
    const ImageShare& share = counts.image.Of(target);
    json.Key("image");
    json.StartObject();
    json.Field("target", static_cast<int64_t>(JdkOf(target)));
    json.Field("entries", share.entries());
    json.Field("usable_entries", share.usable_entries());
    const std::vector<std::string> others = OtherJdks(counts, target);
    json.Texts("other_jdks", others);
    json.Field("other_jdk_entries", others.empty() ? size_t{0} : counts.jdk_entries);
    json.Key("tables");
    json.StartObject();
    for (const Table table : kAllTables) {
      const ImageShare::Part part = share.Of(table);
      if (part.entries == 0) continue;
      json.Key(TableKey(table));
      json.StartObject();
      json.Field("entries", part.entries);
      json.Field("usable_entries", part.usable_entries);
      json.Field("weight", part.weight);
      json.Field("usable_weight", part.usable_weight);
      json.EndObject();
    }
    json.EndObject();
    json.EndObject();
  }

  ExitCode PrintFitJson(Console& console, JsonText& json, const std::string& path) const {
    const Result<Fitting> fitting = Fit(console, path);
    if (fitting.ok()) {
      PrintFit(json, fitting->fit, Printing());
      if (fitting->edges) fitting->edges->Print(json, MostExcess());
      return Passes(console, path, fitting->fit.fitness) ? ExitCode::kOk : ExitCode::kFindings;
    }
    json.Field("failed", fitting.status().message());
    return console.Error(fitting.status());
  }

  ExitCode RunJson(Console& console) {
    ExitCode code = ExitCode::kOk;
    JsonText json(console);
    json.StartObject();
    json.Key("files");
    json.StartArray();
    for (const std::string& path : files_) {
      json.StartObject();
      json.Field("file", path);
      json.Key("findings");
      json.StartArray();
      size_t printed = 0;
      std::string name;
      const Result<CheckCounts> counts = Check(console, path, name, [&](const Finding& finding) {
        if (!Shown(printed)) return;
        ++printed;
        json.StartObject();
        json.Field("rule", InfoOf(finding.rule).name);
        json.Field("severity", finding.doubtful() ? "doubtful" : "error");
        json.Field("offset", static_cast<int64_t>(finding.offset));
        json.Field("path", finding.path);
        json.Field("found", finding.found);
        json.Field("expected", finding.expected);
        json.EndObject();
      });
      json.EndArray();
      if (counts.ok()) {
        json.Field("types", counts->types);
        json.Field("methods", counts->methods);
        json.Field("entries", counts->entries);
        json.Field("errors", counts->errors);
        json.Field("doubtful", counts->doubts);
        json.Field("sample_signals", counts->sample_signals);
        PrintShare(json, *counts);
        if (counts->errors + counts->doubts != 0) code = Worse(code, ExitCode::kFindings);
        if (fit_.given()) code = Worse(code, PrintFitJson(console, json, path));
      } else {
        json.Field("failed", counts.status().message());
        code = Worse(code, console.Error(counts.status()));
      }
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    return code;
  }

  std::vector<std::string> files_;
  bool strict_ = false;
  bool quiet_ = false;
  size_t max_findings_ = 0;
  std::string target_;
  FitOptions fit_;
  double min_applicable_ = 0;
  OptionRow gate_option_;
  std::string format_ = "text";
};

constexpr Example kCheckExamples[] = {
    {"iprof check app.iprof", "Check a profile; exit with 1 if it breaks a rule."},
    {"iprof check --strict --format json app.iprof",
     "The same as JSON, including what is doubtful."},
    {"iprof check --classpath app.jar:lib/* --jdk /usr/lib/jvm/jdk-25 app.iprof",
     "Also show what an image build of this program cannot use."},
    {"iprof check --classpath app.jar --min-applicable 99.5% app.iprof",
     "Fail a build only if less than 99.5 % of the counts fit the program."},
};

}  // namespace

const CommandEntry kCheckEntry = {
    "check", "Find every place where a profile breaks a rule of the format",
    "Checks profiles against the format's schema and meaning: kinds of values, undeclared or "
    "repeated ids, "
    "repeated contexts, lengths of records, counts, successors' indices, monitors, versions. Every "
    "violation "
    "is printed with its byte offset in the (inflated) text, its JSON path, the rule's name, what "
    "was found "
    "and what was expected. A summary line follows for each file, and one that says how much of it "
    "an image build can use; if the samples are from fewer than 500 signals, another one says "
    "so.\n\nWith --classpath or --jdk, each record is also compared with class "
    "files: whether its method exists and has the same code, whether its position is an if, "
    "switch, "
    "call or type check, and whether successors and receivers are right. The shares that are "
    "relevant (the method exists) and applicable (everything fits) are printed by package, "
    "weighted "
    "by counts, and so are the methods that do not fit. Lambdas and proxies have no class files; "
    "their names must be those for the JDK of --target, or of --jdk. Of exact profiles, methods "
    "are "
    "named whose call sites were executed more often than the methods were called, by more than "
    "0.1 % "
    "and what the profile says of its exactness: exceptions can do this, and so can a "
    "mistake.\n\nExits with 1 if a file "
    "breaks a rule or a "
    "method does not fit; with --min-applicable, if too little fits by weight, and then it names "
    "the "
    "three heaviest reasons. A file that is no profile at all is bad input (3).",
    kCheckExamples, [] { return std::unique_ptr<Command>(new CheckCommand); }};

}  // namespace iprof::cli
