#include "writer/ops/advice.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "writer/base/grouped.h"
#include "writer/base/java_release.h"
#include "writer/base/join_text.h"
#include "writer/ops/advice_figures.h"
#include "writer/ops/check_rules.h"
#include "writer/profile/image/image_note.h"
#include "writer/profile/io/sampling_sum.h"

namespace iprof {
namespace {

constexpr double kMostStartUp = 0.25;      // of the recorded time
constexpr double kMostSeldomRun = 0.25;    // of the hot methods
constexpr double kLeastOfProgram = 0.001;  // of the weight, or only the JVM ran
constexpr double kMostEstimated = 0.5;     // of the calls
constexpr double kMostThin = 0.5;          // of the samples
constexpr double kMostLostSites = 0.05;    // of calls and type checks
constexpr double kMostNotUsed = 0.01;      // by an image build, of calls and branches
constexpr double kMostMisnamed = 0.005;
constexpr double kHalf = 0.5;
constexpr int64_t kMsPerS = 1000;
constexpr int64_t kNsPerMs = 1'000'000;

std::string Percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

double ShareOf(double part, double whole) { return whole <= 0 ? 0 : std::min(1.0, part / whole); }

std::string Whole(double number) {
  constexpr double kMost = 9e18;
  return Grouped(static_cast<int64_t>(std::min(number, kMost)));
}

std::string Seconds(int64_t ms) {
  return fmt::format("{:.1f} s", static_cast<double>(ms) / kMsPerS);
}

class Adviser {
 public:
  Adviser(const Profile& profile, const AdviceContext& context)
      : profile_(profile), context_(context), figures_(profile) {}

  Advice Run() {
    if (LookAtContent()) {
      LookAtHarvest();
      LookAtLoad();
      LookAtSamples();
      LookAtEstimates();
      LookAtTables();
      LookAtLosses();
      LookAtJdk();
      if (context_.fit) LookAtFit(*context_.fit);
    }
    if (context_.format_errors > 0) LookAtFormat();
    return Finish();
  }

 private:
  void Add(std::string_view rule, Usability grade, double share, std::string text,
           std::string remedy) {
    advice_.reasons.push_back(
        {rule, grade, std::clamp(share, 0.0, 1.0), std::move(text), std::move(remedy)});
  }

  // ---- What is there at all ----

  // False: nothing more can be said.
  bool LookAtContent() {
    const bool is_empty = std::all_of(std::begin(kAllTables), std::end(kAllTables),
                                      [&](Table t) { return profile_.entry_count(t) == 0; });
    if (is_empty) {
      Add("empty", Usability::kUnusable, 1,
          "it has no counts and no samples, only names of types and methods", RecordAgain());
      return false;
    }
    if (figures_.weight > 0) return true;
    Add("no-counts", Usability::kUnusable, 1,
        "it has no calls and branches, without which a build takes all methods for cold",
        fmt::format("iprof merge -o all.iprof counted.iprof {}", context_.file));
    return false;
  }

  void LookAtFormat() {
    Add("format", Usability::kUnusable, 1,
        Counted(context_.format_errors, "place breaks", "places break") +
            " a rule of the format, so a build may refuse it or misread it",
        "iprof check " + context_.file);
  }

  void LookAtTables() {
    const auto look = [&](Table table, std::string_view what, std::string_view without) {
      if (profile_.entry_count(table) > 0) return;
      Add("missing-table", Usability::kDoubts, kHalf,
          fmt::format("it has no {}, so a build {}", what, without),
          figures_.harvest ? Window(60) : RecordAgain());
    };
    look(Table::kCalls, "calls", "does not know how often methods ran");
    look(Table::kConditionals, "branches", "guesses where branches go");
    look(Table::kVirtualInvokes, "receivers", "cannot choose targets of virtual calls");
  }

  // ---- How it was recorded ----

  void LookAtHarvest() {
    if (!figures_.harvest) return;
    const HarvestNote& note = *figures_.harvest;
    if (note.CanHold(figures_.weight)) return;
    Add("impossible-counts", Usability::kUnusable, 1,
        fmt::format("{:.3g} calls and branches cannot have run in {} of processor time",
                    figures_.weight, Seconds(note.cpu_ms)),
        RecordAgain());
  }

  void LookAtLoad() {
    const double seldom = ShareOf(static_cast<double>(figures_.seldom_run),
                                  static_cast<double>(figures_.hot_methods));
    if (seldom > kMostSeldomRun) {
      Add("short-run", Usability::kDoubts, seldom,
          fmt::format("{} of {} ran fewer than {} times: the load was short",
                      Grouped(figures_.seldom_run),
                      Counted(figures_.hot_methods, "hot method", "hot methods"),
                      Grouped(kEnoughExecutions)),
          RecordLonger(2));
    }
    LookAtStartUp();
  }

  void LookAtStartUp() {
    const int64_t recorded = figures_.RecordedMs();
    const int64_t starting = figures_.StartingMs();
    const double share = ShareOf(static_cast<double>(starting), static_cast<double>(recorded));
    if (share <= kMostStartUp) return;
    const double of_program = 1 - ShareOf(figures_.jdk_weight, figures_.weight);
    const bool is_jvm_only = of_program < kLeastOfProgram && !figures_.IsProgramOfJdk();
    std::string text =
        is_jvm_only
            ? fmt::format("{} of what ran is the JVM's start: the program itself did nothing",
                          Percent(1 - of_program))
            : fmt::format(
                  "{} of {} recorded are start-up, which is right only if start-up is the "
                  "workload",
                  Seconds(starting), Seconds(recorded));
    Add("start-up", is_jvm_only ? Usability::kUnusable : Usability::kDoubts, share, std::move(text),
        "iprof profile PID --warmup 60s --duration 60s -o " + context_.file);
  }

  void LookAtSamples() {
    if (figures_.signals == 0) {
      return Add("no-samples", Usability::kDoubts, 1,
                 "it has no samples, so an image build may do worse than with them",
                 figures_.harvest ? Harvest("--samples 60s") : RecordAgain());
    }
    const double thin = ShareOf(figures_.thin_samples, figures_.samples);
    const std::string are_thin = fmt::format("{} of them are in methods with fewer than {}",
                                             Percent(thin), kEnoughSamplesOfMethod);
    if (figures_.signals < kEnoughSignals) {
      const double lacking =
          1 - ShareOf(static_cast<double>(figures_.signals), static_cast<double>(kEnoughSignals));
      return Add(
          "few-samples", Usability::kDoubts, lacking,
          fmt::format("{}, and builds want {}; {}", Counted(figures_.signals, "sample", "samples"),
                      Grouped(kEnoughSignals), are_thin),
          MoreSamples());
    }
    if (thin > kMostThin) {
      Add("thin-samples", Usability::kDoubts, thin,
          fmt::format("{}, but {}", Counted(figures_.signals, "sample", "samples"), are_thin),
          RecordLonger(2));
    }
  }

  std::string MoreSamples() const {
    if (figures_.harvest) return Harvest("--samples 60s");
    const int64_t times = (kEnoughSignals + figures_.signals - 1) / figures_.signals;
    const auto part = figures_.section.Part(kSamplingPart);
    const auto sampling = part ? SamplingSum::Parse(*part) : std::nullopt;
    // Denser samples, if the interval was given and is longer than it must be.
    if (sampling && sampling->Kind().second >= times * kNsPerMs && !sampling->Adapted()) {
      return RecordAgain(fmt::format(",interval={}ms", sampling->Kind().second / times / kNsPerMs));
    }
    return RecordLonger(times);
  }

  void LookAtEstimates() {
    if (figures_.doubtful.share > kMostDoubtful) return AddDoubtful(figures_.doubtful);
    AddEstimated(ShareOf(figures_.estimated_calls, figures_.calls));
  }

  void AddDoubtful(const DoubtfulCalls& doubts) {
    Add("guessed-counts", doubts.share > kHalf ? Usability::kUnusable : Usability::kDoubts,
        doubts.share,
        fmt::format("{} most of {} of all calls, estimated from {}",
                    Counted(doubts.methods, "method holds", "methods hold"), Percent(doubts.share),
                    Counted(doubts.executions, "execution", "executions")),
        figures_.harvest ? Harvest("--fresh 60s") : RecordLonger(2));
  }

  void AddEstimated(double share) {
    if (!figures_.harvest && share <= kMostEstimated) return;
    Add("estimated", Usability::kDoubts, share,
        fmt::format("{} of the calls are estimated{}", Percent(share),
                    figures_.harvest ? ", as HotSpot counts a method only until it is compiled"
                                     : ", because methods lost their probes"),
        figures_.harvest ? Window(60) : RecordAgain());
  }

  void LookAtLosses() {
    const int64_t sites =
        figures_.harvest ? figures_.harvest->sites_left_out : figures_.LossOf("sites");
    const int64_t not_counted =
        SaturatingAdd(figures_.LossOf("methods_not_counted"), figures_.LossOf("damaged_records"));
    const int64_t refused = figures_.LossOf("refused_memory");
    const auto kept = static_cast<double>(profile_.entry_count(Table::kVirtualInvokes) +
                                          profile_.entry_count(Table::kInstanceOfs));
    const double lost = ShareOf(static_cast<double>(sites), kept + static_cast<double>(sites));
    if (lost > kMostLostSites) {
      Add("lost-receivers", Usability::kDoubts, lost,
          fmt::format("{} left out, {} of all, because classes of their objects are not known",
                      Counted(sites, "call or type check is", "calls and type checks are"),
                      Percent(lost)),
          figures_.harvest ? Window(60) : std::string());
    }
    const double uncounted =
        ShareOf(static_cast<double>(not_counted), static_cast<double>(figures_.weights.size()));
    if (uncounted > kMostNotUsed || refused > 0) {
      Add("lost-counts", Usability::kDoubts, uncounted,
          fmt::format("{} not counted, and {} refused, because memory= was used up",
                      Counted(not_counted, "method was", "methods were"),
                      Counted(refused, "counter was", "counters were")),
          refused > 0 ? RecordAgain(",memory=25%") : std::string());
    }
  }

  // ---- Whether it fits the image ----

  ImageTarget Target() const {
    const auto note = ImageNote::Of(figures_.section);
    return context_.target.value_or(note ? note->target : kNewestImageTarget);
  }

  bool KnowsTarget() const { return context_.target || ImageNote::Of(figures_.section); }

  void LookAtJdk() {
    if (context_.image) LookAtImage(*context_.image);
    std::set<std::string> others;
    for (const RunNote& run : figures_.runs) {
      const int feature = FeatureRelease(run.jvm_version);
      if (feature != 0 && feature != JdkOf(Target())) others.insert(run.jvm_version);
    }
    if (others.empty() || !KnowsTarget()) return;
    const double share = ShareOf(figures_.jdk_weight, figures_.weight) *
                         (context_.fit ? 1 - context_.fit->jdk_applicable : 1);
    if (share <= 0) return;
    Add("other-jdk", Usability::kDoubts, share,
        fmt::format("recorded on JDK {}, and {} of the weight is in the JDK's own methods, whose "
                    "positions may not fit JDK {}",
                    JoinText(others, " and "), Percent(share), JdkOf(Target())),
        fmt::format("/path/to/jdk-{}/bin/{}", JdkOf(Target()), RecordAgain()));
  }

  void LookAtImage(const ImageShare& image) {
    double weight = 0;
    double usable = 0;
    for (const Table table : {Table::kCalls, Table::kConditionals}) {
      weight += static_cast<double>(image.Of(table).weight);
      usable += static_cast<double>(image.Of(table).usable_weight);
    }
    const double lost = 1 - ShareOf(usable, weight);
    if (lost <= kMostNotUsed) return;
    Add("not-for-images", Usability::kDoubts, lost,
        fmt::format("{} of calls and branches are in code that an image for JDK {} does not have",
                    Percent(lost), JdkOf(Target())),
        fmt::format("iprof convert --to iprof --image {} -o image.iprof", context_.file));
  }

  void LookAtFit(const FitFacts& fit) {
    std::string heaviest;
    for (const auto& [what, share] : fit.stale)
      heaviest += fmt::format("; {} ({})", what, Percent(share));
    if (fit.program_relevant < kHalf) {
      Add("other-program", Usability::kUnusable, 1 - fit.program_relevant,
          fmt::format("{} of what it says about the program is about methods that these class "
                      "files do not have{}",
                      Percent(1 - fit.program_relevant), heaviest),
          RecordAgain());
    } else if (fit.applicable < kEnoughApplicable) {
      Add("stale", fit.applicable < kHalf ? Usability::kUnusable : Usability::kDoubts,
          1 - fit.applicable,
          fmt::format("{} does not fit these class files{}", Percent(1 - fit.applicable), heaviest),
          fmt::format("iprof convert --to iprof {} {} -o fits.iprof", context_.class_files,
                      context_.file));
    }
    if (fit.misnamed <= kMostMisnamed) return;
    Add("other-names", Usability::kDoubts, fit.misnamed,
        fmt::format("{} is in lambdas whose names a build for JDK {} does not know",
                    Percent(fit.misnamed), JdkOf(Target())),
        RecordAgain(fmt::format(",target={}", JdkOf(Target()))));
  }

  // ---- What to type ----

  std::string Program() const {
    if (figures_.runs.empty() || figures_.runs.back().program.empty()) return "-jar app.jar";
    const std::string& program = figures_.runs.back().program;
    return program.ends_with(".jar") ? "-jar " + program : "-cp app.jar " + program;
  }

  std::string Window(int64_t seconds) const {
    return fmt::format("iprof profile PID --duration {}s -o {}", seconds, context_.file);
  }

  std::string Harvest(std::string_view options) const {
    return fmt::format("iprof harvest PID {} -o {}", options, context_.file);
  }

  // `options`: of the agent, each after a comma.
  std::string RecordAgain(std::string_view options = {}) const {
    return fmt::format("java -agentpath:/path/to/libiprofagent.so=out={}{} {}", context_.file,
                       options, Program());
  }

  std::string RecordLonger(int64_t times) const {
    int64_t recorded = 0;
    for (const RunNote& run : figures_.runs) recorded = std::max(recorded, run.recorded_ms);
    constexpr int64_t kLeastS = 60;
    constexpr int64_t kMostS = 3600;
    return Window(std::clamp(SaturatingMultiply(recorded, times) / kMsPerS, kLeastS, kMostS));
  }

  // ---- The answer ----

  void AddFacts() {
    const auto fact = [&](std::string_view what, std::string text) {
      advice_.facts.emplace_back(what, std::move(text));
    };
    const size_t runs = figures_.runs.size() + figures_.older_runs;
    const int64_t recorded = figures_.RecordedMs();
    fact("runs", runs == 0 ? "not known"
                           : Counted(runs, "run", "runs") +
                                 (recorded > 0 ? ", " + Seconds(recorded) : "") +
                                 (runs == 1 ? ": one workload" : ""));
    fact("load", fmt::format("{} calls and branches; {}, of {} that ran", Whole(figures_.weight),
                             Counted(figures_.hot_methods, "hot method", "hot methods"),
                             Grouped(figures_.weights.size())));
    fact("samples", Grouped(figures_.signals));
    if (context_.fit) {
      fact("fit", Percent(context_.fit->applicable) + " of the weight fits these class files");
    }
  }

  Advice Finish() {
    std::stable_sort(advice_.reasons.begin(), advice_.reasons.end(),
                     [](const Reason& a, const Reason& b) {
                       return a.grade != b.grade ? a.grade > b.grade : a.share > b.share;
                     });
    for (const Reason& reason : advice_.reasons)
      advice_.verdict = std::max(advice_.verdict, reason.grade);
    AddFacts();
    const std::string build = fmt::format("native-image --pgo={} {}", context_.file, Program());
    const auto remedy = std::find_if(advice_.reasons.begin(), advice_.reasons.end(),
                                     [](const Reason& reason) { return !reason.remedy.empty(); });
    if (remedy == advice_.reasons.end()) {
      advice_.next = build;
      return std::move(advice_);
    }
    advice_.next = remedy->remedy;
    if (advice_.verdict != Usability::kUnusable) advice_.build = build;
    return std::move(advice_);
  }

  const Profile& profile_;
  const AdviceContext& context_;
  const AdviceFigures figures_;
  Advice advice_;
};

}  // namespace

std::string_view NameOf(Usability usability) {
  switch (usability) {
    case Usability::kUsable:
      return "usable";
    case Usability::kDoubts:
      return "usable with doubts";
    case Usability::kUnusable:
      return "not usable";
  }
  return {};
}

std::string Advice::Line() const {
  std::string line(NameOf(verdict));
  if (reasons.empty()) return line;
  line += ": " + reasons.front().text;
  if (const size_t others = reasons.size() - 1; others > 0)
    line += "; and " + Counted(others, "more reason", "more reasons");
  return line;
}

std::string Advice::HeaviestReasons() const {
  constexpr size_t kMost = 3;
  std::string text;
  for (size_t at = 0; at < std::min(kMost, reasons.size()); ++at) {
    if (at > 0) text += "; ";
    text += reasons[at].text;
  }
  return text;
}

Advice AdviseOn(const Profile& profile, const AdviceContext& context) {
  return Adviser(profile, context).Run();
}

}  // namespace iprof
