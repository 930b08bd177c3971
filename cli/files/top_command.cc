// iprof top: prints what ComputeFlatProfile and ComputeMethodTimes find.
#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/files/class_notes.h"
#include "cli/files/code_names.h"
#include "cli/files/event_option.h"
#include "cli/files/file_entries.h"
#include "cli/files/filter_options.h"
#include "cli/files/profile_files.h"
#include "cli/files/sample_option.h"
#include "cli/files/top_events.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/ops/flat_profile.h"
#include "writer/ops/method_times.h"
#include "writer/profile/image/sample_split.h"
#include "writer/profile/sample_threads.h"

namespace iprof::cli {
namespace {

class TopCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddProfile(options, "file", path_, "The profile");
    options.AddFlag("--first", first_,
                    "Print methods in the order in which they were first called, by the mean of "
                    "their ranks in all runs");
    options.AddFlag("--times", times_,
                    "Print the time of each method, estimated from the samples, beside its number "
                    "of calls, and the time for each call");
    by_option_ = AddChoice(
        options, "--by", by_, {"method", "line", "bci", "package", "thread", "time", "class"},
        "What a row is: a method, a source line or one bytecode position of a method, a "
        "package, a thread, a time of the recording, or with --value the class of what "
        "was allocated or locked (default: method)");
    value_.AddTo(options, "What the figures are");
    sort_option_ = AddChoice(options, "--sort", sort_, {"self", "total"},
                             "The order of the rows (default: self)");
    AddCount(options, "-n,--topn", limit_, "Print at most N rows (default: 30; 0: all)");
    samples_.AddTo(options);
    filter_.AddTo(options);
    classes_.AddTo(options);
    options.AddFlag("--full", whole_names_,
                    "Print whole names with signatures, on lines of any length");
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    if (first_ && (by_option_.given() || sort_option_.given()))
      return console.Error(
          Status(Code::kUsage, "--first has an order of its own: no --by, no --sort"));
    if (first_ && value_.given())
      return console.Error(Status(Code::kUsage, "--first and --value exclude each other"));
    if ((by_ == "thread" || by_ == "time" || by_ == "class") && sort_option_.given())
      return console.Error(
          Status(Code::kUsage, "--by " + by_ + " has an order of its own: no --sort"));
    if (by_ == "class" && !value_.value())
      return console.Error(
          Status(Code::kUsage, "--by class needs a value: --value alloc-bytes, for example"));
    if (times_ && (first_ || by_ != "method" || value_.given()))
      return console.Error(
          Status(Code::kUsage, "--times is of methods: no --first, no --value, no other --by"));
    if (value_.value() && (by_ == "time" || samples_.has_window()))
      return console.Error(Status(
          Code::kUsage, "--value and a time exclude each other: only samples know when they were"));
    Result<Profile> read = ReadInput(
        console, path_, by_ == "time" ? SampleLabels::kThreadsAndPeriods : samples_.labels());
    if (!read.ok()) return console.Error(read.status());
    const SignalRatio ratio = SignalRatio::Of(*read);
    if (value_.value()) return PrintEvents(console, *read);
    if (by_ == "thread" || by_ == "time") {
      const auto selected = samples_.SelectTime(console, path_, std::move(*read));
      if (!selected) return ExitCode::kNoSamples;
      return by_ == "thread" ? PrintThreads(console, *selected) : PrintPeriods(console, *selected);
    }
    std::optional<Profile> profile = samples_.Select(console, path_, std::move(*read));
    if (!profile) return ExitCode::kNoSamples;
    if (const Status status = classes_.AddNotes(console, *profile); !status.ok())
      return console.Error(status);
    const FlatKey key = by_ == "method" ? FlatKey::kMethod
                        : by_ == "line" ? FlatKey::kLine
                        : by_ == "bci"  ? FlatKey::kPosition
                                        : FlatKey::kPackage;
    const ProfileFilter filter = filter_.filter();
    if (first_) return PrintFirst(console, *profile, filter);
    if (times_) return PrintTimes(console, *profile, ratio, filter);
    FlatProfile flat = ComputeFlatProfile(*profile, key, filter);
    const bool is_empty = flat.rows.empty();
    if (sort_ == "total") {
      std::stable_sort(flat.rows.begin(), flat.rows.end(),
                       [](const FlatRow& a, const FlatRow& b) { return a.total > b.total; });
    }
    if (limit_ != 0 && flat.rows.size() > limit_) flat.rows.resize(limit_);
    if (key == FlatKey::kLine && !flat.has_lines && flat.total > 0)
      console.Warn(path_ + " has no source lines, so the rows are methods; see --by bci");
    if (!is_empty && !HasWholeStacks(*profile))
      console.Warn(fmt::format("{}: stacks: {}", NameOfInput(path_), kCutStacks));
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

  size_t RoomForNames(const Console& console, size_t figures) const {
    return whole_names_ ? SIZE_MAX : LayoutOf(console).Room(figures);
  }

  ExitCode PrintEvents(Console& console, const Profile& profile) const {
    const std::optional<EventTables> events = value_.Find(console, path_, profile);
    if (!events) return ExitCode::kNoSamples;
    return PrintTop(console, *events,
                    {.path = path_,
                     .value = *value_.value(),
                     .by = by_,
                     .sorts_by_total = sort_ == "total",
                     .limit = limit_,
                     .filter = filter_.filter(),
                     .samples = &samples_,
                     .whole_names = whole_names_,
                     .as_json = format_ == "json"});
  }

  ExitCode PrintThreads(Console& console, const Profile& profile) const {
    const ProfileFilter filter = filter_.filter();
    if (!KnowsThreads(console, path_, profile)) return ExitCode::kNoSamples;
    const Profile part = FilterProfile(profile, filter);
    std::vector<ThreadSamples> threads = ThreadsOf(part);
    if (threads.empty()) return WarnOfNoSamples(console, path_, profile, filter.Describe());
    if (limit_ != 0 && threads.size() > limit_) threads.resize(limit_);
    const int64_t total = profile.Total(Table::kSamples);
    if (format_ == "json") {
      PrintRows(console, total, threads, [](JsonText& json, const ThreadSamples& thread) {
        json.Field("name", thread.name);
        json.Field("self", thread.weight);
        json.Field("total", thread.weight);
      });
      return ExitCode::kOk;
    }
    PrintHeading(console, total);
    console.Print("{:>20}  thread\n", "samples");
    const size_t room = RoomForNames(console, 22);
    for (const ThreadSamples& thread : threads) {
      console.Print("{:>11} {:>8}  {}\n", Grouped(thread.weight), PercentOf(thread.weight, total),
                    CutTo(ShownThread(thread.name), room));
    }
    return ExitCode::kOk;
  }

  ExitCode PrintPeriods(Console& console, const Profile& profile) const {
    const ProfileFilter filter = filter_.filter();
    if (!KnowsPeriods(console, path_, profile)) return ExitCode::kNoSamples;
    std::vector<PeriodSamples> periods = PeriodsOf(FilterProfile(profile, filter));
    if (periods.empty()) return WarnOfNoSamples(console, path_, profile, filter.Describe());
    if (limit_ != 0 && periods.size() > limit_) periods.resize(limit_);
    const int64_t total = profile.Total(Table::kSamples);
    if (format_ == "json") {
      PrintRows(console, total, periods, [](JsonText& json, const PeriodSamples& period) {
        json.Field("from_s", int64_t{period.begin});
        json.Field("self", period.weight);
        json.Field("total", period.weight);
      });
      return ExitCode::kOk;
    }
    PrintHeading(console, total);
    console.Print("{:>20}  time of the recording\n", "samples");
    for (const PeriodSamples& period : periods) {
      console.Print("{:>11} {:>8}  {}\n", Grouped(period.weight), PercentOf(period.weight, total),
                    ShownPeriod(period.begin));
    }
    return ExitCode::kOk;
  }

  ExitCode PrintFirst(Console& console, const Profile& profile, const ProfileFilter& filter) const {
    std::vector<MethodIndex> methods;
    for (const MethodIndex method : MethodsOf(profile)) {
      if (profile.FirstCallOf(method).is_known() && filter.Wants(profile, method))
        methods.push_back(method);
    }
    if (methods.empty()) {
      console.Warn(path_ + " does not say of these methods when they were first called");
      return ExitCode::kNoSamples;
    }
    std::stable_sort(methods.begin(), methods.end(), [&](MethodIndex a, MethodIndex b) {
      return profile.FirstCallOf(a).mean() < profile.FirstCallOf(b).mean();
    });
    if (limit_ != 0 && methods.size() > limit_) methods.resize(limit_);
    if (format_ == "json") {
      PrintFirstJson(console, profile, methods);
      return ExitCode::kOk;
    }
    const CodeNames names(profile, whole_names_);
    const size_t room = RoomForNames(console, 22);
    console.Print("{:>11}  {:>7}  method\n", "mean rank", "runs");
    for (const MethodIndex method : methods) {
      const FirstCall first = profile.FirstCallOf(method);
      console.Print("{:>11.1f}  {:>7}  {}\n", first.mean(), Grouped(first.runs),
                    CutTo(names.MethodAndLine(method), room));
    }
    return ExitCode::kOk;
  }

  static void PrintFirstJson(Console& console, const Profile& profile,
                             const std::vector<MethodIndex>& methods) {
    JsonText json(console);
    json.StartObject();
    json.Objects("first", methods, [&](MethodIndex method) {
      const FirstCall first = profile.FirstCallOf(method);
      json.Field("name", profile.DescribeMethod(method));
      json.Field("ranks", first.ranks);
      json.Field("runs", first.runs);
    });
    json.EndObject();
  }

  ExitCode PrintTimes(Console& console, const Profile& profile, SignalRatio ratio,
                      const ProfileFilter& filter) const {
    std::optional<MethodTimes> times = ComputeMethodTimes(profile, ratio, filter);
    if ((times && times->rows.empty()) || profile.entry_count(Table::kSamples) == 0) {
      if (format_ == "json") PrintTimesJson(console, times.value_or(MethodTimes{}));
      return WarnOfNoSamples(console, path_, profile, filter.Describe());
    }
    if (!times) {
      console.Warn(NameOfInput(path_) +
                   " does not say for which time a sample stands, so there are no times");
      return ExitCode::kNoSamples;
    }
    if (!times->has_calls)
      console.Warn(
          NameOfInput(path_) +
          " has no counts of calls, so there is no time for each call: record with calls=y");
    if (!HasWholeStacks(profile))
      console.Warn(fmt::format("{}: stacks: {}", NameOfInput(path_), kCutStacks));
    std::vector<MethodTime>& rows = times->rows;
    if (sort_ == "total") {
      std::stable_sort(rows.begin(), rows.end(), [](const MethodTime& a, const MethodTime& b) {
        return a.total.ns > b.total.ns;
      });
    }
    if (limit_ != 0 && rows.size() > limit_) rows.resize(limit_);
    if (format_ == "json") {
      PrintTimesJson(console, *times);
    } else {
      PrintTimesText(console, profile, *times);
    }
    return ExitCode::kOk;
  }

  // 1234.5, 12.3, 0.0123, 0.0000012
  static std::string Milliseconds(double ns) {
    const double ms = ns / 1e6;
    const int whole_digits = ms > 0 ? static_cast<int>(std::floor(std::log10(ms))) + 1 : 2;
    return fmt::format("{:.{}f}", ms, std::clamp(3 - whole_digits, 1, 7));
  }
  static std::string ErrorOf(const EstimatedTime& time) {
    const auto error = time.error();
    if (!error) return "-";
    return *error > 1 ? ">100%" : fmt::format("{:.{}f}%", *error * 100, *error < 0.0995 ? 1 : 0);
  }

  void PrintTimesText(Console& console, const Profile& profile, const MethodTimes& times) const {
    const CodeNames names(profile, whole_names_);
    const size_t room = RoomForNames(console, 60);
    if (!filter_.filter().empty())
      console.Print("only {}; the time is that of all samples\n",
                    EscapeForTerminal(filter_.filter().Describe()));
    console.Heading(fmt::format(
        "{} ms of {} time: an estimate, from {}", Milliseconds(static_cast<double>(times.all.ns)),
        times.event == "cpu" ? "CPU" : EscapeForTerminal(times.event),
        Counted(static_cast<int64_t>(std::llround(times.all.samples)), "sample", "samples")));
    console.Print(
        "±: a time of n samples is right within 3/√n in 997 of 1,000 cases; ms/call: total / "
        "calls\n");
    console.Print("{:>9} {:>5}  {:>9} {:>5}  {:>12} {:>9}  {}\n", "self ms", "±", "total ms", "±",
                  "calls", "ms/call", "method");
    for (const MethodTime& row : times.rows) {
      const auto per_call = row.NsPerCall();
      std::string calls = row.calls ? Grouped(*row.calls) : "-";
      if (row.calls && !row.are_calls_counted) calls.insert(0, 1, '~');
      console.Print("{:>9} {:>5}  {:>9} {:>5}  {:>12} {:>9}  {}\n",
                    Milliseconds(static_cast<double>(row.self.ns)), ErrorOf(row.self),
                    Milliseconds(static_cast<double>(row.total.ns)), ErrorOf(row.total), calls,
                    per_call ? Milliseconds(*per_call) : "-",
                    CutTo(names.MethodAndLine(row.method), room));
    }
    if (std::any_of(times.rows.begin(), times.rows.end(),
                    [](const MethodTime& row) { return row.calls && !row.are_calls_counted; }))
      console.Print("~: these calls are estimated, too\n");
  }

  static void PrintTimesJson(Console& console, const MethodTimes& times) {
    JsonText json(console);
    const auto print = [&](std::string_view what, const EstimatedTime& time) {
      json.Field(fmt::format("{}_ns", what), time.ns);
      json.Key(fmt::format("{}_error", what));
      const auto error = time.error();
      if (error) {
        json.Share(*error);
      } else {
        json.Null();
      }
    };
    json.StartObject();
    json.Field("event", times.event);
    json.Field("interval_ns", times.interval_ns);
    json.Field("samples", static_cast<int64_t>(std::llround(times.all.samples)));
    json.Field("estimate", true);
    print("time", times.all);
    json.Objects("rows", times.rows, [&](const MethodTime& row) {
      json.Field("name", row.name);
      print("self", row.self);
      print("total", row.total);
      json.Key("calls");
      if (!row.calls) return json.Null();
      json.Int(*row.calls);
      json.Field("calls_counted", row.are_calls_counted);
      if (const auto per_call = row.NsPerCall()) json.ShareField("ns_per_call", *per_call);
    });
    json.EndObject();
  }

  void PrintHeading(Console& console, int64_t total) const {
    if (!filter_.filter().empty())
      console.Print("only {}; shares are of all samples\n",
                    EscapeForTerminal(filter_.filter().Describe()));
    console.Heading(Counted(total, "sample", "samples"));
  }

  void PrintText(Console& console, const Profile& profile, const FlatProfile& flat) const {
    const CodeNames names(profile, whole_names_);
    const size_t room = RoomForNames(console, 46);
    PrintHeading(console, flat.total);
    console.Print("{:>20}  {:>20}  {}\n", "in it (self)", "with callees (total)", by_);
    for (const FlatRow& row : flat.rows) {
      console.Print("{:>11} {:>8}  {:>11} {:>8}  {}\n", Grouped(row.self),
                    PercentOf(row.self, flat.total), Grouped(row.total),
                    PercentOf(row.total, flat.total), CutTo(NameOf(names, profile, row), room));
    }
  }

  template <typename Rows, typename PrintRow>
  void PrintRows(Console& console, int64_t total, const Rows& rows,
                 const PrintRow& print_row) const {
    JsonText json(console);
    json.StartObject();
    json.Field("samples", total);
    json.Field("by", by_);
    json.Objects("rows", rows, [&](const auto& row) { print_row(json, row); });
    json.EndObject();
  }

  void PrintJson(Console& console, const FlatProfile& flat) const {
    PrintRows(console, flat.total, flat.rows, [](JsonText& json, const FlatRow& row) {
      json.Field("name", row.name);
      json.Field("self", row.self);
      json.Field("total", row.total);
    });
  }

  std::string path_;
  bool first_ = false;
  bool times_ = false;
  OptionRow by_option_;
  OptionRow sort_option_;
  EventOption value_;
  std::string by_ = "method";
  std::string sort_ = "self";
  size_t limit_ = 30;
  SampleOption samples_;
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
    {"iprof top --by thread app.iprof", "Threads, of a profile that was recorded with threads=y."},
    {"iprof top --to 8s app.iprof",
     "The first eight seconds: the start. --by time shows when samples were."},
    {"iprof top --times app.iprof", "Time by method, calls, and time for each call."},
    {"iprof top --value alloc-bytes app.iprof",
     "Who allocates, of a profile that was recorded with alloc=."},
    {"iprof top --value live-bytes --by class app.iprof", "What stays alive, by class."},
    {"iprof top --value lock-time --sort total app.iprof",
     "Who waits for locks, of a profile that was recorded with lock=."},
    {"iprof top --first -n 100 app.iprof", "The hundred methods that ran first."},
};

}  // namespace

const CommandEntry kTopEntry = {
    "top", "Show where the samples are, by method, line, position, package or thread",
    "Prints two figures for each method (or line, bytecode position, package). Self is the samples "
    "in which it is the innermost frame; total is the samples in which it is anywhere on the "
    "stack. A sample counts once in a total, even if the method is recursive.\n\nLines are those "
    "of the source file. Positions without a known line (native methods, classes without debug "
    "information, classes that were unloaded before the profile was written) are one row per "
    "method. Profiles of other tools have bytecode positions only: use '--by bci', and 'javap -l "
    "-c' to find the lines.\n\nWith --times it prints what HPROF measured with cpu=times, without "
    "slowing calls down: calls are counted, and times are estimates from the samples, each with "
    "the error '±' that three standard deviations allow: 10 % for 900 samples. A method that calls "
    "itself has its time once, and each of its calls.\n\nWith --first it prints the order in which "
    "counted methods first "
    "ran. It "
    "is coarse: methods that were first called between two snapshots have the order in which their "
    "classes were loaded.\n\nWith --value the "
    "figures are those of allocations or waits for locks. Allocations are sampled; '±' is the "
    "error "
    "that three standard deviations allow, of the figure by which the rows are sorted.\n\nExits "
    "with 5 if there are no samples, or no such order or value.",
    kTopExamples, [] { return std::unique_ptr<Command>(new TopCommand); }};

}  // namespace iprof::cli
