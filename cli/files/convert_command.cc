// iprof convert: writes a profile in another form, makes one of a recording, and reads and writes data sets.
#include <optional>

#include "cli/files/class_notes.h"
#include "cli/files/convert_target.h"
#include "cli/files/data_set.h"
#include "cli/files/edges/divided_calls.h"
#include "cli/files/event_option.h"
#include "cli/files/file_entries.h"
#include "cli/files/filter_options.h"
#include "cli/files/output_claim.h"
#include "cli/files/profile_files.h"
#include "cli/files/recording_input.h"
#include "cli/files/repair_options.h"
#include "cli/files/replaced_inputs.h"
#include "cli/files/sample_option.h"
#include "cli/files/table_names.h"
#include "cli/files/target_option.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"
#include "cli/views/coverage/coverage.h"
#include "cli/views/report/source_texts.h"
#include "writer/base/grouped.h"
#include "writer/base/join_text.h"
#include "writer/profile/image/image_profile.h"
#include "writer/profile/io/context_form.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/format_version.h"

namespace iprof::cli {
namespace {

class ConvertCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddProfile(options, "file", file_,
               "The profile, or a recording of Java Flight Recorder; '-' is standard input");
    to_option_ = options.AddParsed(
        "--to",
        [this](const std::string& text) {
          to_ = text;
          return ConvertTarget::Parse(text, target_);
        },
        ConvertTarget::Description() +
            "; with --from parquet and of a recording, iprof is the default");
    to_option_.Takes(JoinText(ConvertTarget::Names(), "|"));
    AddChoice(options, "--from", from_, {"iprof", "parquet"},
              "What the input is: a profile, or the folder of a data set, or a file of one, whose "
              "runs are merged (default: iprof)");
    options
        .Add("-o,--output", output_,
             "The output file, or the folder of a data set (default: '-', standard output)")
        .Takes("FILE");
    data_set_.AddTo(options);
    options.AddFlag("--bci", bci_given_, "Add the bytecode index to collapsed frames: a.b.C.m:12");
    stacks_option_ =
        AddChoice(options, "--stacks", stacks_, {"samples", "calls"},
                  "What the collapsed stacks are: samples, or calls with their callers "
                  "as far as the profile has them (default: samples)");
    value_.AddTo(options,
                 "What the collapsed stacks count, and what alone is in csv and speedscope");
    version_option_ =
        AddOutputVersion(options, version_,
                         "Format version of pretty and iprof (default: auto, the lowest "
                         "that loses nothing)");
    options.AddFlag("--image", image_,
                    "Leave out what an image build cannot use: machinery that only a JVM runs, and "
                    "positions in methods that the image replaces");
    jdk_option_ = AddTarget(options, jdk_);
    options.AddFlag("--native", native_,
                    "Of a recording: add jdk.NativeMethodSample, which has threads that wait, too");
    options.AddFlag("--edges", edges_,
                    "Write calls by caller, computed from the counts and the class files; for "
                    "exact profiles");
    repair_.AddTo(options);
    sources_option_ = options
                          .Add("--sources", sources_,
                               "Folder of source files, for their paths in lcov (repeatable)")
                          .Takes("DIR")
                          .OneValueEach();
    AddChoice(options, "--contexts", contexts_, {"disjoint", "inclusive", "none"},
              "How entries with callers relate to those with fewer: disjoint, as the format "
              "has them; inclusive, for consumers that fall back to fewer callers; none: "
              "added up, without callers (default: disjoint)");
    filter_.AddTo(options);
    options.AddFlag("--gzip", gzip_,
                    "Compress (implied by a name that ends in .gz, and by --to pprof)");
    AddFormat(options, format_).Describe("Print what was written, as JSON (needs -o FILE)");
  }

  ExitCode Run(Console& console) override {
    is_recording_ = IsRecording(file_);
    if ((is_recording_ || is_from_data_set()) && !to_option_.given())
      to_ = "iprof";  // as target_ is
    if (Status status = FindContradiction(); !status.ok()) return console.Error(status);
    if (Status status = CheckOutput(); !status.ok()) return console.Error(status);
    Result<vm::OutClaim> claim = vm::OutClaim();  // until the end
    if (target_.is_profile()) claim = ClaimOutput(console, output_);
    if (!claim.ok()) return console.Error(claim.status());
    readers_ = ReadersOf(file_);
    Result<Profile> profile = Read(console);
    if (!profile.ok()) return console.Error(profile.status());
    if (repair_.given() && !edges_ && target_.is_profile()) {
      Result<fitness::RepairedProfile> repaired = repair_.Repair(*profile);
      if (!repaired.ok()) return console.Error(repaired.status());
      repaired_ = repaired->counts;
      profile = std::move(repaired->profile);
    }
    if (image_) {
      const auto form = target_.other == nullptr ? SampleForm::kWhole : SampleForm::kCut;
      profile = MakeImageProfile(*profile, TargetOf(jdk_, ImageNote::Of(*profile)), form).profile;
    }
    if (const ProfileFilter filter = filter_.filter(); target_.other == nullptr && !filter.empty())
      profile = FilterForBuild(*profile, filter);
    if (value_.value() && !value_.Find(console, file_, *profile)) return ExitCode::kNoSamples;
    if (HasNothingFor(*profile))
      return WarnOfNoSamples(console, file_, *profile, filter_.filter().Describe());
    if (contexts_ == "inclusive") profile = ToInclusive(*profile);
    if (!profile.ok()) return console.Error(profile.status());
    const Status status = Write(console, *profile);
    if (!status.ok()) return console.Error(status);
    SayRepair(console);
    SayRecording(console);
    if (format_ == "json") {
      PrintJson(console, *profile);
    } else if (target_.data_set) {
      console.Print("wrote {}: {}\n", EscapeForTerminal(written_.path),
                    Counted(written_.rows, "row", "rows"));
    } else if (edges_ && output_ != "-") {
      facts_.Print(console, "", kMostNamed);
    }
    return ExitCode::kOk;
  }

 private:
  // Standard output may have the profile.
  void SayRepair(Console& console) const {
    if (!repaired_ || format_ == "json") return;
    const std::string said = fmt::format("{}: {}", NameOfInput(file_), Describe(*repaired_));
    if (output_ == "-") return console.Warn(said);
    console.Print("{}\n", EscapeForTerminal(said));
  }

  void SayRecording(Console& console) const {
    if (!recording_) return;
    const auto say = [&](const std::string& line) {
      const std::string said = fmt::format("{}: {}", NameOfInput(file_), line);
      if (output_ == "-" || format_ == "json") return console.Warn(said);
      console.Print("{}\n", EscapeForTerminal(said));
    };
    const std::vector<std::string> lines = DescribeRecording(*recording_);
    for (const std::string& problem : recording_->problems)
      console.Warn(fmt::format("{}: {}", NameOfInput(file_), problem));
    if (format_ == "json") return;
    for (const std::string& line : lines) say(line);
  }

  bool HasNothingFor(const Profile& profile) const {
    if (target_.other == nullptr || needs_coverage() || value_.value() ||
        profile.entry_count(Table::kSamples) > 0)
      return false;
    if (target_.other->needs_samples) return EventsOf(profile).empty();
    return target_.other->one_table && stacks_ == "samples";
  }

  static constexpr size_t kMostNamed = 5;

  // The part of the profile that is wanted, with the callers that are wanted.
  Result<Profile> Read(Console& console) {
    Result<Profile> profile = ReadWhole(console);
    if (!profile.ok()) return profile;
    has_calls_ = profile->entry_count(Table::kCalls) > 0;
    if (contexts_ == "none") profile = WithoutCallers(*profile);
    if (edges_) {
      if (Status status = AddEdges(*profile); !status.ok()) return status;
    }
    return PartOf(console, file_, std::move(*profile), filter_.filter());
  }

  Result<Profile> ReadWhole(Console& console) {
    if (is_recording_) return ReadRecorded();
    if (!is_from_data_set())
      return ReadInput(
          console, file_,
          target_.other == nullptr ? SampleLabels::kThreadsAndPeriods : SampleLabels::kThreads);
    Result<DataSet> set = ReadDataSet(console, file_);
    if (!set.ok()) return set.status();
    readers_ = set->readers;
    return std::move(set->profile);
  }

  bool is_from_data_set() const { return from_ == "parquet"; }

  Result<Profile> ReadRecorded() {
    RecordingWishes wishes{.native = native_};
    if (jdk_option_.given()) wishes.target = TargetOf(jdk_, std::nullopt);
    Result<RecordingInput> read = ReadRecordingInput(file_, wishes);
    if (!read.ok()) return read.status();
    recording_ = std::move(read->figures);
    return std::move(read->profile);
  }

  Status AddEdges(Profile& profile) {
    if (!IsExact(profile))
      return Status(Code::kBadInput, NameOfInput(file_) +
                                         ": --edges needs exact counts, and its calls are "
                                         "estimated from what HotSpot counted");
    if (HasCallers(profile, Table::kCalls))
      return Status(Code::kBadInput, NameOfInput(file_) +
                                         " has calls by caller already; with --contexts none, "
                                         "--edges computes them again");
    const Result<classpath::ClassPath> classes =
        OpenClasses(profile, repair_.class_path(), repair_.jdk_home());
    if (!classes.ok()) return classes.status();
    DividedCalls divided = DivideCalls(profile, *classes);
    profile = std::move(divided.profile);
    facts_ = std::move(divided.facts);
    return {};
  }

  static Status Usage(const char* message) { return Status(Code::kUsage, message); }

  Status FindContradiction() const {
    if (to_.empty()) return Usage("--to is required: it says what the profile is converted to");
    if (native_ && !is_recording_)
      return Usage("--native is for recordings of Java Flight Recorder");
    if (is_recording_ && is_from_data_set()) return Usage("--from parquet is not for a recording");
    if (target_.data_set && output_ == "-")
      return Usage("--to parquet needs -o DIR, the folder of the data set");
    if (target_.data_set && gzip_)
      return Usage("--gzip is not for --to parquet: its files are compressed already");
    if (data_set_.given() && !target_.data_set)
      return Usage("--service, --release and --host need --to parquet");
    const bool takes_bci = target_.other != nullptr && target_.other->takes_bci;
    const bool one_table = target_.other != nullptr && target_.other->one_table;
    if (bci_given_ && !takes_bci) return Usage("--bci needs --to collapsed");
    if (stacks_option_.given() && !one_table) {
      return Usage(
          "--stacks needs --to collapsed: pprof and speedscope files hold samples and calls");
    }
    if (value_.given() && target_.data_set)
      return Usage("--value is not for --to parquet: its rows have no allocations and no waits");
    if (value_.given() &&
        (target_.is_profile() || target_.other->needs_samples || needs_coverage()))
      return Usage(
          "--value needs another format than iprof, pretty and hprof, which have all, and lcov and "
          "jacoco, which have none");
    if (value_.value() && stacks_ == "calls")
      return Usage("--stacks calls and --value both say what the stacks count");
    if (version_option_.given() && !target_.is_profile())
      return Usage("--output-version needs --to pretty or iprof");
    if (version_option_.given() && !target_.version.empty())
      return Usage("--to and --output-version both name a version");
    if (format_ == "json" && output_ == "-")
      return Usage("--format json and -o - would both write to standard output");
    if (needs_coverage()) {
      if (repair_.class_path().empty())
        return Usage("--to lcov and jacoco need the program's class files: --classpath");
      if (!repair_.jdk_home().empty() || repair_.has_old() || edges_ || image_)
        return Usage(
            "--to lcov and jacoco take --classpath alone, without --jdk, --old-classpath, "
            "--old-jdk, --edges and --image");
    } else if (repair_.given() && !edges_ && !target_.is_profile()) {
      return Usage("--classpath and --jdk need --to iprof or pretty: they repair a profile");
    }
    if (sources_option_.given() && (!needs_coverage() || target_.other->name != "lcov"))
      return Usage("--sources needs --to lcov");
    if (Status status = repair_.FindContradiction(); !status.ok()) return status;
    if (jdk_option_.given() && !image_ && !is_recording_)
      return Usage("--target needs --image, or a recording");
    if (edges_ && repair_.has_old())
      return Usage("--old-classpath and --old-jdk repair a profile, and --edges does not");
    if (edges_ && !repair_.given()) return Usage("--edges needs class files: --classpath, --jdk");
    if (contexts_ == "inclusive" && !target_.is_profile())
      return Usage("--contexts inclusive needs --to pretty or iprof");
    return {};
  }

  // A profile may be replaced by a profile, and a recording by nothing.
  Status CheckOutput() const {
    if (Status status = CheckIsNoRawFile(output_);
        !status.ok() || (target_.other == nullptr && !is_recording_))
      return status;
    return CheckReplacesNone(output_, std::vector<std::string>{file_}, "output");
  }

  const std::string& version() const {
    return target_.version.empty() ? version_ : target_.version;
  }

  Status Write(Console& console, const Profile& profile) {
    if (target_.is_profile())
      return WriteProfileOutput(console, profile, output_, version(), target_.pretty, gzip_,
                                readers_);
    if (!target_.data_set) return WriteOther(console, profile);
    Result<DataSetOptions::Written> written = data_set_.Write(console, profile, output_, readers_);
    if (!written.ok()) return written.status();
    written_ = std::move(*written);
    return {};
  }

  bool needs_coverage() const { return target_.other != nullptr && target_.other->needs_coverage; }

  Result<Coverage> ReadCoverage(Console& console, const Profile& profile) const {
    if (!IsExact(profile)) {
      return Status(Code::kBadInput,
                    NameOfInput(file_) + ": " + to_ +
                        " needs counts, and its calls are estimated from what HotSpot counted");
    }
    if (!has_calls_) return Status(Code::kBadInput, NameOfInput(file_) + " has no counts of calls");
    const Result<classpath::ClassPath> classes =
        OpenClasses(profile, repair_.class_path(), std::string());
    if (!classes.ok()) return classes.status();
    report::SourceTexts sources;
    for (const std::string& place : sources_) {
      if (Status status = sources.Add(place); !status.ok()) return status;
    }
    const ProfileFilter filter = filter_.filter();
    CoverageOptions options;
    options.wants = [&](std::string_view name) { return filter.Wants(name); };
    options.every_package = !filter.include.empty() || !filter.packages.empty();
    if (!sources.empty()) options.sources = &sources;
    Coverage coverage = CoverageOf(profile, *classes, options);
    if (coverage.classes.empty())
      return Status(Code::kBadInput, "the class path has no class of a package that ran");
    Warn(console, coverage);
    return coverage;
  }

  void Warn(Console& console, const Coverage& coverage) const {
    const auto warn = [&](size_t count, std::string_view one, std::string_view more,
                          std::string_view what) {
      if (count > 0) console.Warn(fmt::format("{}: {} {}", to_, Counted(count, one, more), what));
    };
    warn(coverage.other_code, "method has", "methods have",
         "other code in these class files than in the profile, and no lines");
    warn(coverage.without_lines, "class has", "classes have", "no line numbers");
    warn(coverage.unreadable, "class file is", "class files are", "damaged");
    warn(coverage.without_sources, "source file is", "source files are", "not in --sources");
    warn(coverage.unknown_lines, "line has", "lines have",
         fmt::format("executions that do not follow from the profile, of {}; most are in exception "
                     "handlers, and count as not executed",
                     Grouped(coverage.lines)));
  }

  Status WriteOther(Console& console, const Profile& profile) const {
    const bool gzip = target_.other->compressed || WantsGzip(gzip_, output_);
    ExportOptions options = target_.options;
    Result<Coverage> coverage = Coverage();
    if (needs_coverage()) coverage = ReadCoverage(console, profile);
    if (!coverage.ok()) return coverage.status();
    options.coverage = &*coverage;
    options.bci = bci_given_;
    options.stacks = *TableOfName(stacks_);
    options.value = value_.value();
    if (options.hprof.thread && profile.entry_count(Table::kSamples) > 0)
      KnowsThreads(console, file_, profile);
    return WriteOutput(console, output_, gzip, [&](ByteSink& sink) {
      return target_.other->write(profile, options, sink);
    });
  }

  void PrintJson(Console& console, const Profile& profile) const {
    JsonText json(console);
    json.StartObject();
    json.Field("input", file_);
    json.Field("output", target_.data_set ? written_.path : output_);
    json.Field("to", to_);
    if (target_.data_set) json.Field("rows", written_.rows);
    json.Field("types", profile.type_count());
    json.Field("methods", profile.method_count());
    json.Key("entries");
    json.StartObject();
    for (const Table table : kAllTables) json.Field(TableKey(table), profile.entry_count(table));
    json.EndObject();
    if (recording_) PrintRecording(json, *recording_);
    if (repaired_) PrintRepair(json, *repaired_);
    if (edges_) facts_.Print(json, kMostNamed);
    if (target_.is_profile()) {
      const Result<FormatVersion> written = ParseFormatVersion(version());
      json.Field("lost_entries", written.ok() ? EntriesWithoutTable(profile, *written) : 0);
    }
    json.EndObject();
  }

  static void PrintRecording(JsonText& json, const jfr::RecordingFigures& figures) {
    json.Key("recording");
    json.StartObject();
    json.Field("event", figures.event);
    json.Field("samples", figures.samples);
    json.Field("native", figures.native);
    json.Field("without_stack", figures.without_stack);
    json.Field("truncated", figures.truncated);
    json.Field("lost", figures.lost);
    json.Field("other_samples", figures.other_samples);
    json.Field("native_left_out", figures.native_left_out);
    json.Field("interval_ns", figures.interval_ns);
    json.Field("allocations", figures.allocations);
    json.Field("waits", figures.waits);
    json.Field("waits_for_work", figures.waits_for_work);
    json.Field("truncated_events", figures.truncated_events);
    json.Field("chunks", static_cast<int64_t>(figures.chunks));
    json.Field("chunks_left_out", static_cast<int64_t>(figures.chunks_left_out));
    json.Key("problems");
    json.StartArray();
    for (const std::string& problem : figures.problems) json.String(problem);
    json.EndArray();
    json.EndObject();
  }

  std::string file_;
  std::string from_ = "iprof";
  bool is_recording_ = false;
  bool native_ = false;
  std::optional<jfr::RecordingFigures> recording_;
  OptionRow to_option_;
  std::string to_;
  ConvertTarget target_;
  DataSetOptions data_set_;
  DataSetOptions::Written written_;
  Readers readers_ = Readers::kByUmask;
  std::string output_ = "-";
  std::string version_ = "auto";
  OptionRow version_option_;
  bool bci_given_ = false;
  std::string stacks_ = "samples";
  OptionRow stacks_option_;
  EventOption value_;
  bool has_calls_ = false;  // before filters
  bool image_ = false;
  std::string jdk_;
  OptionRow jdk_option_;
  bool edges_ = false;
  std::string contexts_ = "disjoint";
  EdgeFacts facts_;
  FilterOptions filter_;
  RepairOptions repair_;
  std::vector<std::string> sources_;
  OptionRow sources_option_;
  std::optional<fitness::RepairCounts> repaired_;
  bool gzip_ = false;
  std::string format_ = "text";
};

constexpr Example kConvertExamples[] = {
    {"iprof convert app.jfr -o app.iprof", "A profile of a recording of Java Flight Recorder."},
    {"iprof convert --to pretty app.iprof | less", "Read a profile as text."},
    {"iprof convert --to collapsed app.iprof -o app.collapsed", "Input for a flame graph."},
    {"iprof convert --to pprof app.iprof -o app.pb.gz",
     "For 'pprof -http=: app.pb.gz' and what else reads its files."},
    {"iprof convert --to collapsed --value alloc-bytes app.iprof -o app.collapsed",
     "The same for a flame graph of allocations."},
    {"iprof convert --to speedscope app.iprof -o app.speedscope.json", "For speedscope."},
    {"iprof convert --to hprof@depth=8 app.iprof -o app.hprof.txt",
     "For scripts that read HPROF's text, with stacks of eight frames."},
    {"iprof convert --to csv app.iprof -o app.csv", "Input for a spreadsheet or database."},
    {"iprof convert --to parquet --service shop --release 1.7 app.iprof -o fleet",
     "Add a run to a data set, for DuckDB, Spark and Trino."},
    {"iprof convert --from parquet fleet/service=shop -o shop.iprof",
     "Merge the runs of one service."},
    {"iprof convert --to lcov --classpath app.jar --sources src/main/java app.iprof -o app.info",
     "Executions of lines and branches, for 'genhtml --branch-coverage app.info'."},
    {"iprof convert --to iprof@1.0.0 app.iprof -o old.iprof",
     "Write format 1.0.0, and say what it has no place for."},
    {"iprof convert --to iprof --image full.iprof -o app.iprof",
     "Keep only what an image build can use of a profile that was taken with image=n."},
    {"iprof convert --to iprof --classpath app.jar --jdk /usr/lib/jvm/jdk-25 --old-classpath "
     "old.jar app.iprof "
     "-o new.iprof",
     "Make the profile of old.jar fit app.jar."},
    {"iprof convert --to iprof --edges --classpath app.jar app.iprof -o callers.iprof",
     "Write calls by caller, from the counts and the class files."},
    {"iprof convert --to iprof --contexts inclusive callers.iprof -o inclusive.iprof",
     "For a consumer that falls back to fewer callers."},
};

}  // namespace

const CommandEntry kConvertEntry = {
    "convert", "Convert a profile to another form",
    "Writes a profile as indented or minified iprof of a chosen version, as CSV with one line per "
    "count, or its samples and calls for other programs: as collapsed stacks (outermost frame "
    "first, joined by ';'), for pprof, for speedscope, or as the text of HPROF, which also has "
    "allocations and waits for locks. As lcov or jacoco, it has the lines and branches of the "
    "class files in --classpath, also those "
    "that never ran: of the packages in which something ran, or of the classes that --include and "
    "--package name. "
    "Else, with --classpath or --jdk, a profile "
    "of an older version of the program is repaired: what does not fit is dropped and counted. "
    "Positions in methods whose code has changed are found again by the instructions around them, "
    "if "
    "--old-classpath or --old-jdk has the recorded code.\n\nA data set is a folder with one "
    "Parquet "
    "file for each run, in folders by service, release and day. --from parquet merges what 'iprof "
    "merge' would, also of files that a database wrote.\n\n"
    "Of a recording of Java Flight Recorder it makes a profile with samples, allocations and waits "
    "for "
    "locks, and no counts. Damaged and unfinished chunks are named by their offset.\n\nExits with "
    "5, and writes nothing, if "
    "it "
    "has "
    "no samples to write as collapsed stacks or as HPROF's text. A new profile can be read by no "
    "more than the input; "
    "other forms follow the umask.\n\nProfiles of iprofagent count calls "
    "without callers, unless contexts=calls or --edges divides them, so their stacks of calls have "
    "one frame each. Those of instrumented images have callers. --edges prints how many calls have "
    "a "
    "known caller, how many belong to methods whose call sites show as many, and methods whose "
    "sites show more.",
    kConvertExamples, [] { return std::unique_ptr<Command>(new ConvertCommand); }};

}  // namespace iprof::cli
