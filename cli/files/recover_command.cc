// iprof recover: makes a profile of the raw files that ended JVMs left.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "agent/settings/out_path.h"
#include "cli/files/file_entries.h"
#include "cli/files/output_claim.h"
#include "cli/files/profile_files.h"
#include "cli/files/profile_names.h"
#include "cli/files/raw_input.h"
#include "cli/files/same_run.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"
#include "writer/ops/input_runs.h"
#include "writer/ops/merge.h"
#include "writer/profile/image/image_note.h"
#include "writer/profile/io/agent_section.h"

namespace iprof::cli {
namespace {

class RecoverCommand : public Command {
 public:
  void Define(OptionList& options) override {
    options
        .Add("raw", files_, "Raw files, or out= of the agents that left them; several are merged")
        .Required()
        .Takes("FILE");
    options
        .Add("-o,--output", output_,
             "The profile to write (default: app.iprof beside app.iraw, if there is no such file "
             "yet; several raw files need a name)")
        .Takes("FILE");
    AddOutputVersion(options, version_,
                     "Format version to write (default: auto, the lowest that loses nothing)");
    options.AddFlag("--pretty", pretty_, "One type, method or entry a line");
    options.AddFlag("--gzip", gzip_, "Compress (implied by a name that ends in .gz)");
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    if (format_ == "json" && output_ == "-") {
      return console.Error(
          Status(Code::kUsage, "--format json and -o - would both write to standard output"));
    }
    if (Status status = ChooseOutput(); !status.ok()) return console.Error(status);
    if (Status status = CheckIsNoRawFile(output_); !status.ok()) return console.Error(status);
    const std::vector<Input> inputs = DistinctFiles(console);
    std::vector<Recovered> recovered;
    std::vector<Profile> profiles;  // as `recovered`, until that is sorted
    std::vector<Status> failures;
    std::vector<Copy> copies;
    std::vector<Read> held;  // some of these may be copies of others
    const auto add = [&](size_t at, RawProfile made) {
      InputRuns runs = RunsOf(made);
      profiles.push_back(std::move(made.profile));
      recovered.push_back({at, inputs[at].path, std::move(made.note), std::move(runs)});
    };
    for (size_t i = 0; i < inputs.size(); ++i) {
      Result<RawProfile> made = ReadRawFile(inputs[i].path);
      if (!made.ok()) {
        failures.push_back(made.status());
      } else if (inputs[i].shares_run) {
        held.push_back({i, std::move(*made)});
      } else {
        add(i, std::move(*made));
      }
    }
    for (Read& file : TakeNewest(inputs, std::move(held), &copies))
      add(file.input, std::move(file.made));
    std::sort(recovered.begin(), recovered.end(),
              [](const Recovered& a, const Recovered& b) { return a.input < b.input; });
    for (const Copy& copy : copies)
      console.Warn(fmt::format("{} is left out: {}", copy.file, copy.why));
    if (recovered.empty()) {
      for (size_t i = 1; i < failures.size(); ++i) console.Error(failures[i]);
      return console.Error(failures.front());
    }
    for (const Status& failure : failures) console.Warn("left out: " + failure.message());
    std::vector<InputRuns> runs;
    for (const Recovered& raw : recovered) runs.push_back(raw.runs);
    WarnOfSameRuns(console, recovered);
    const auto is_earlier = [&](const std::string& path) {
      const Result<Profile> there = ReadAnyProfile(path);
      return there.ok() && IsEarlierResult(InputRuns::Of(*there), runs);
    };
    const Result<vm::OutClaim> claim = ClaimOutput(console, output_, is_earlier);  // until the end
    if (!claim.ok()) return console.Error(claim.status());
    if (Status status = CheckIsNoBetter(recovered, runs); !status.ok())
      return console.Error(status);
    const Profile profile = Merged(std::move(profiles));
    // As the agent's own profiles: the raw file is private, too.
    const Status status =
        WriteProfileOutput(console, profile, output_, version_, pretty_, gzip_, Readers::kOwner);
    if (!status.ok()) return console.Error(status);
    if (format_ == "json") {
      PrintJson(console, profile, recovered, failures, copies);
    } else if (output_ != "-") {
      PrintText(console, profile, recovered);
    }
    return failures.empty() ? ExitCode::kOk : ExitCode::kFindings;
  }

 private:
  // As iprof merge adds them up: how samples are scaled depends on all inputs. One alone stays as it is.
  static Profile Merged(std::vector<Profile> profiles) {
    if (profiles.size() == 1) return std::move(profiles.front());
    std::vector<CountFacts> facts;
    for (const Profile& profile : profiles) facts.push_back(CountFactsOf(profile));
    const int64_t unit_ns = SampleUnit(facts);
    ProfileMerger merger;
    for (size_t i = 0; i < profiles.size(); ++i) {
      merger.Add(profiles[i], 1, ScaleToUnit(facts[i], unit_ns));
      profiles[i] = Profile();
    }
    return merger.Finish();
  }

  struct Input {
    std::string path;
    RunId run;
    bool shares_run;  // another file has it, too: one of them is a copy
  };
  struct Recovered {
    size_t input;
    std::string path;
    SnapshotNote note;
    InputRuns runs;
  };
  struct Read {
    size_t input;
    RawProfile made;
  };
  struct Copy {
    std::string file;
    std::string why;  // it is left out
  };

  Status ChooseOutput() {
    if (!output_.empty()) return {};
    const std::string& last = files_.back();
    std::error_code not_there;
    if (files_.size() > 1 && !last.ends_with(kRawSuffix) &&
        !std::filesystem::exists(last, not_there)) {
      return {Code::kUsage,
              fmt::format("{0} is not there; if it is the profile to write, type '-o {0}'", last)};
    }
    if (files_.size() > 1)
      return {Code::kUsage, "several raw files are merged: say with -o where the profile goes"};
    Result<std::string> beside = OutputBeside(last, ".iprof", "profile");
    if (beside.ok()) output_ = std::move(*beside);
    return beside.status();
  }

  // What is at the output may be a profile of the same run, which has more of it.
  Status CheckIsNoBetter(const std::vector<Recovered>& recovered,
                         const std::vector<InputRuns>& runs) const {
    std::error_code not_there;
    if (output_ == "-" || !std::filesystem::is_regular_file(output_, not_there)) return {};
    const Result<Profile> there = ReadAnyProfile(output_);
    if (!there.ok()) return {};
    const auto better = FindBetter(InputRuns::Of(*there), runs);
    if (!better) return {};
    return {Code::kUsage,
            fmt::format("{0} is of the same run as {1} and {2}, so it is not replaced: give the "
                        "profile another name, or remove {0} first",
                        output_, NameOfInput(recovered[better->raw].path), better->why)};
  }

  static InputRuns RunsOf(const RawProfile& made) {
    InputRuns runs = InputRuns::Of(made.profile);
    runs.NoteRun(made.run);
    return runs;
  }

  // Of runs that are not known.
  static void WarnOfSameRuns(Console& console, const std::vector<Recovered>& recovered) {
    std::vector<MergeInput> inputs;
    std::vector<InputRuns> runs;
    for (const Recovered& one : recovered) {
      inputs.push_back({.path = one.path});
      runs.push_back(one.runs);
    }
    for (const std::string& warning : FindSameRuns(inputs, runs).warnings) console.Warn(warning);
  }

  // Of a profile that is not there, what its JVM left when it was killed.
  static std::string LeftFor(const std::string& path) {
    const auto is_there = [](const std::string& file) {
      std::error_code ignored;
      return !file.empty() && std::filesystem::exists(file, ignored);
    };
    if (path == "-" || is_there(path)) return path;
    std::string raw = vm::RawPathBeside(path);
    return is_there(raw) ? raw : path;
  }

  // Those to recover. The others are added to `copies`.
  static std::vector<Read> TakeNewest(const std::vector<Input>& inputs, std::vector<Read> files,
                                      std::vector<Copy>* copies) {
    std::vector<MergeInput> found;
    std::vector<InputRuns> runs;
    for (const Read& file : files) {
      found.push_back({.path = NameOfInput(inputs[file.input].path), .is_found = true});
      runs.push_back(RunsOf(file.made));
    }
    std::vector<bool> is_left_out(files.size());
    for (const auto& [copy, why] : FindSameRuns(found, runs).left_out) {
      is_left_out[copy] = true;
      copies->push_back({found[copy].path, why});
    }
    std::vector<Read> taken;
    for (size_t i = 0; i < files.size(); ++i) {
      if (!is_left_out[i]) taken.push_back(std::move(files[i]));
    }
    return taken;
  }

  // Each file once. It may have been given twice, also through a link; it has one run all the same.
  std::vector<Input> DistinctFiles(Console& console) const {
    std::vector<Input> distinct;
    std::map<RunId, int> files_of;
    std::map<std::pair<dev_t, ino_t>, std::string> first_names;
    std::vector<std::string> paths;
    for (const std::string& path : files_) paths.push_back(LeftFor(path));
    for (const std::string& path : paths) {
      struct stat info {};
      const bool is_there =
          path == "-" ? fstat(STDIN_FILENO, &info) == 0 : stat(path.c_str(), &info) == 0;
      if (is_there) {
        const auto [first, is_new] = first_names.try_emplace({info.st_dev, info.st_ino}, path);
        if (!is_new) {
          console.Warn(path == first->second
                           ? NameOfInput(path) + " was given more than once; it is taken once"
                           : fmt::format("{} is the same file as {}; it is taken once",
                                         NameOfInput(path), NameOfInput(first->second)));
          continue;
        }
      }
      distinct.push_back({path, RawRunOf(path), false});
      ++files_of[distinct.back().run];
    }
    for (Input& input : distinct)
      input.shares_run = input.run.is_known() && files_of[input.run] > 1;
    return distinct;
  }

  // How old a snapshot is; 0 if its time cannot be read or is in the future.
  static int64_t AgeOf(const SnapshotNote& note) {
    std::tm utc{};
    if (strptime(note.time.c_str(), "%Y-%m-%dT%H:%M:%S", &utc) == nullptr) return 0;
    return std::max<int64_t>(std::time(nullptr) - timegm(&utc), 0);
  }

  static std::string AgeText(int64_t seconds) {
    if (seconds < 120) return fmt::format("{} s", seconds);
    if (seconds < 2 * 3600) return fmt::format("{} min", seconds / 60);
    if (seconds < 48 * 3600) return fmt::format("{} h", seconds / 3600);
    return fmt::format("{} days", seconds / 86400);
  }

  void PrintText(Console& console, const Profile& profile,
                 const std::vector<Recovered>& recovered) const {
    for (const auto& [input, path, note, runs] : recovered) {
      const std::string name = EscapeForTerminal(NameOfInput(path));
      console.Print("{}: {}\n", name, note.Describe());
      const std::string recorded =
          note.recorded_ms == 0
              ? std::string()
              : fmt::format("{:.1f} s recorded; ", static_cast<double>(note.recorded_ms) / 1000);
      console.Print("{}: {}what ran after the snapshot, {} ago, is not in it\n", name, recorded,
                    AgeText(AgeOf(note)));
    }
    // The snapshots' lines are about all methods that ran.
    const auto image = ImageNote::Of(profile);
    console.Print("{}{}\n", DescribeWritten(output_, profile),
                  image && image->filtered ? ", without what an image build cannot use" : "");
  }

  void PrintJson(Console& console, const Profile& profile, const std::vector<Recovered>& recovered,
                 const std::vector<Status>& failures, const std::vector<Copy>& copies) const {
    JsonText json(console);
    json.StartObject();
    json.Field("output", output_);
    json.Objects("files", recovered, [&](const Recovered& one) {
      const auto& [input, path, note, runs] = one;
      json.Field("file", path);
      json.Field("generation", note.generation);
      json.Field("time", note.time);
      json.Field("age_s", AgeOf(note));
      json.Field("recorded_ms", note.recorded_ms);
      json.Field("at_rest", note.at_rest);
      json.Field("methods_exact", note.methods_exact);
      json.Field("methods_within_k", note.methods_within_k);
      json.Field("lost_classes", note.lost_classes);
      json.Field("lost_counts", note.lost_counts);
      json.Field("lost_other", note.lost_other);
      json.Field("lost_notes", note.lost_notes);
      json.Field("damaged_records", note.damaged_records);
      json.Field("newer_damaged", note.newer_damaged);
      json.Field("without_harvest", note.without_harvest);
    });
    json.Key("left_out");
    json.StartArray();
    for (const Status& failure : failures) json.String(failure.message());
    for (const Copy& copy : copies) json.String(fmt::format("{}: {}", copy.file, copy.why));
    json.EndArray();
    json.Field("types", profile.type_count());
    json.Field("methods", profile.method_count());
    json.EndObject();
  }

  std::vector<std::string> files_;
  std::string output_;
  std::string version_ = "auto";
  bool pretty_ = false;
  bool gzip_ = false;
  std::string format_ = "text";
};

constexpr Example kRecoverExamples[] = {
    {"iprof recover app.iraw", "A profile, app.iprof, of a JVM that was killed."},
    {"iprof recover pod1.iraw pod2.iraw -o all.iprof", "Of several, added up."},
    {"iprof show app.iraw", "All commands read raw files, also of running JVMs."},
};

}  // namespace

const CommandEntry kRecoverEntry = {
    "recover", "Make a profile of the raw file that a killed JVM left",
    "While it records, the agent writes what it has counted to a raw file every few seconds "
    "(agent options raw= and snapshot=). A JVM that ends normally writes its profile and removes "
    "the file. If it is killed, this command makes the profile of the last complete snapshot, with "
    "the code that makes one at a normal end. The file may be torn or cut, or still be written by "
    "a running JVM. Of OUT, which a killed JVM has not written, its raw file is taken.\n\n"
    "For each file, it prints how old the snapshot is, how exact its counts are and what is "
    "missing. Several files are merged. One that is given twice is taken once, and of copies, "
    "which are of one run, "
    "the newest is taken. The profile is "
    "for your user only, as the raw file is; if it replaces a file of yours, it keeps that file's "
    "permissions. A profile of the same run is not replaced if it is as new or newer, has fewer "
    "losses, or has "
    "further runs: give another name, or remove it first. Without -o, an existing file is not "
    "replaced. A file from which nothing can be "
    "recovered is left out with a warning, and the "
    "exit code is then 1.\n\n"
    "A file of another version of the format, or of a machine with another byte order, is refused "
    "(3), and so is one whose header is damaged or that has no snapshot yet.",
    kRecoverExamples, [] { return std::unique_ptr<Command>(new RecoverCommand); }};

}  // namespace iprof::cli
