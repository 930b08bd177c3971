// iprof merge: gathers the inputs, calls MergeFiles, writes the result.
#include <algorithm>
#include <filesystem>
#include <span>

#include "cli/files/file_entries.h"
#include "cli/files/merge_inputs.h"
#include "cli/files/output_claim.h"
#include "cli/files/profile_files.h"
#include "cli/files/raw_input.h"
#include "cli/files/same_run.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/progress.h"
#include "writer/base/grouped.h"
#include "writer/ops/merge.h"
#include "writer/ops/merge_warnings.h"

namespace iprof::cli {
namespace {

class MergeCommand : public Command {
 public:
  void Define(OptionList& options) override {
    options.Add("in", sources_.files, "Profiles to merge, weight 1").Takes("FILE");
    options.Add("-o,--output", output_, "The output file; may be one of the inputs")
        .Required()
        .Takes("FILE");
    options
        .Add("-w,--weighted-input", sources_.weighted, "A profile that counts N times (repeatable)")
        .OneValueEach()
        .Takes("N,FILE");
    options
        .Add("--input-list", sources_.lists,
             "A file with one input per line, FILE or N,FILE; empty lines and lines that "
             "begin with # are skipped (repeatable)")
        .OneValueEach()
        .Takes("FILE");
    options
        .Add("--input-dir", sources_.folders,
             "All *.iprof, *.iprof.gz and *.iraw below a folder, except the output (repeatable)")
        .OneValueEach()
        .Takes("DIR");
    AddChoice(options, "--failure-mode", failure_mode_, {"any", "all", "warn"},
              "What to do about unreadable inputs: fail if there is one (any); fail if all are "
              "unreadable, and otherwise exit with 1 (all); or only warn (warn) (default: any)");
    AddChoice(options, "--prefer", prefer_, {"heaviest", "newest"},
              "Whose branches, receivers and type checks to keep for a method whose code differs: "
              "those of the version with the most counts, or of the one that was recorded last "
              "(default: heaviest)");
    options.AddFlag("--strict", strict_,
                    "Write nothing and exit with 1 if the code of a method differs, or may differ "
                    "because only some inputs have its hash");
    AddCount(options, "-j,--num-threads", threads_, "Threads (default: 0, one per processor)");
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
    const std::string asked = output_;
    // Before the inputs are read: the output may be one of them, and a JVM may be about to add to it.
    const Result<vm::OutClaim> claim = ClaimOutput(console, output_);
    if (!claim.ok()) return console.Error(claim.status());
    const Result<std::vector<MergeInput>> inputs = GatherInputs(sources_, asked);
    if (!inputs.ok()) return console.Error(inputs.status());
    Readers readers = Readers::kByUmask;
    for (const MergeInput& input : *inputs) readers = std::max(readers, ReadersOf(input.path));
    Result<MergeResult> merged = Merge(console, *inputs);
    if (!merged.ok()) return console.Error(merged.status());
    if (const MergeFailure* failure = UnreadableOutput(*merged)) {
      return console.Error(Status(failure->status.code(),
                                  fmt::format("{}; it is also the output, and is left unchanged",
                                              failure->status.message())));
    }
    for (const MergeFailure& failure : merged->left_out) {
      console.Warn("left out: " + failure.status.message());
    }
    for (const SameRuns::LeftOut& out : same_runs_.left_out) {
      console.Warn(fmt::format("{} is left out: {}. Name it to merge both",
                               (*inputs)[out.input].path, out.why));
    }
    for (const std::string& warning : same_runs_.warnings) console.Warn(warning);
    const VersionReport& versions = merged->versions;
    if (versions.methods > 0 && strict_) {
      console.Warn(fmt::format("nothing was written: the code of {} differs: {}",
                               Counted(versions.methods, "method", "methods"),
                               ExamplesOf(versions)));
      return ExitCode::kFindings;
    }
    if (versions.doubtful_methods > 0 && strict_) {
      console.Warn(fmt::format("nothing was written: {}", DescribeDoubtful(versions)));
      return ExitCode::kFindings;
    }
    for (const std::string& warning : WarningsOf(*merged, Preferred(), " (-w changes its share)"))
      console.Warn(warning);
    const Status status =
        WriteProfileOutput(console, merged->profile, output_, version_, pretty_, gzip_, readers);
    if (!status.ok()) return console.Error(status);
    if (format_ == "json") PrintJson(console, *merged, *inputs);
    const bool incomplete =
        failure_mode_ == "all" &&
        std::any_of(merged->left_out.begin(), merged->left_out.end(),
                    [](const MergeFailure& failure) { return failure.is_failure; });
    return incomplete ? ExitCode::kFindings : ExitCode::kOk;
  }

 private:
  PreferredVersion Preferred() const {
    return prefer_ == "newest" ? PreferredVersion::kNewest : PreferredVersion::kHeaviest;
  }

  Result<MergeResult> Merge(Console& console, const std::vector<MergeInput>& inputs) {
    Progress progress(console, fmt::format("merging {} profiles", inputs.size()));
    MergeOptions options;
    options.failure_mode = failure_mode_ == "all"    ? FailureMode::kAll
                           : failure_mode_ == "warn" ? FailureMode::kWarn
                                                     : FailureMode::kAny;
    options.preferred = Preferred();
    options.threads = static_cast<unsigned>(std::min<size_t>(threads_, kMostThreads));
    options.read = [](const std::string& path) -> Result<Profile> {
      if (Status status = CheckIsNoFolder(path); !status.ok()) return status;
      return ReadAnyProfile(path);
    };
    options.choose = [&](std::span<const InputRuns> runs) {
      std::vector<InputRuns> known(runs.begin(), runs.end());
      for (size_t i = 0; i < known.size(); ++i) {
        if (known[i].runs.empty()) known[i].NoteRun(RawRunOf(inputs[i].path));
      }
      same_runs_ = FindSameRuns(inputs, known);
      std::vector<size_t> excluded;
      for (const SameRuns::LeftOut& out : same_runs_.left_out) excluded.push_back(out.input);
      return excluded;
    };
    options.on_progress = [&](size_t done, size_t total) {
      progress.Update(done, total, "profiles");
    };
    return MergeFiles(inputs, options);
  }

  // Returns the failure of an existing input that could not be read and is also the output. Its
  // content may be valuable, so no failure mode lets the result replace it.
  const MergeFailure* UnreadableOutput(const MergeResult& merged) const {
    for (const MergeFailure& failure : merged.left_out) {
      std::error_code not_there;
      const bool same = std::filesystem::equivalent(failure.path, output_, not_there);
      if (failure.path != "-" && output_ != "-" && same) return &failure;
    }
    return nullptr;
  }

  void PrintJson(Console& console, const MergeResult& merged,
                 const std::vector<MergeInput>& inputs) const {
    JsonText json(console);
    json.StartObject();
    json.Field("output", output_);
    json.Field("merged", merged.merged);
    json.Key("left_out");
    json.StartArray();
    for (const MergeFailure& failure : merged.left_out) {
      json.StartObject();
      json.Field("file", failure.path);
      json.Field("reason", failure.status.message());
      json.EndObject();
    }
    for (const SameRuns::LeftOut& out : same_runs_.left_out) {
      json.StartObject();
      json.Field("file", inputs[out.input].path);
      json.Field("reason", out.why);
      json.EndObject();
    }
    json.EndArray();
    json.Texts("conflicting_keys", merged.conflicting_keys);
    json.Field("scaled", merged.scaled);
    json.Texts("programs", merged.programs);  // one input of each
    json.Field("methods_with_other_code", merged.versions.methods);
    json.Field("methods_with_doubtful_code", merged.versions.doubtful_methods);
    json.Field("samples_in_other_code", merged.versions.samples);
    json.Field("types", merged.profile.type_count());
    json.Field("methods", merged.profile.method_count());
    json.EndObject();
  }

  static constexpr size_t kMostThreads = 1024;

  MergeSources sources_;
  SameRuns same_runs_;
  std::string output_;
  std::string failure_mode_ = "any";
  std::string prefer_ = "heaviest";
  bool strict_ = false;
  std::string version_ = "auto";
  size_t threads_ = 0;
  bool pretty_ = false;
  bool gzip_ = false;
  std::string format_ = "text";
};

constexpr Example kMergeExamples[] = {
    {"iprof merge -o all.iprof run1.iprof run2.iprof.gz", "Add up two runs."},
    {"iprof merge -o all.iprof -w 3,peak.iprof idle.iprof", "Let the peak count three times."},
    {"iprof merge --prefer newest -o all.iprof old.iprof new.iprof",
     "Runs before and after an update: the code of the last one counts."},
    {"iprof merge -o all.iprof --input-dir profiles --failure-mode warn",
     "Merge the profiles of a fleet, without unreadable ones."},
};

}  // namespace

const CommandEntry kMergeEntry = {
    "merge", "Add up several profiles",
    "Unites types and methods by name and signature, and adds up the counts of equal contexts. "
    "Sums stop at 2^63-1. If the inputs were counted in different ways (exactly, estimated, or as "
    "HotSpot counted, see iprof harvest), each is first scaled to the largest input's total of "
    "calls and "
    "branches, because HotSpot stops counting early. The result has the same bytes for any order "
    "of inputs and any number of "
    "threads. Where the code of a method differs between inputs, its calls add up, and branches, "
    "receivers and type checks are those of one version (--prefer); stacks of samples end before "
    "other code. If inputs are meant for image builds for different JDKs, so is the result: for "
    "that of the newest input with --prefer newest, otherwise for that with the most counts. "
    "Inputs may be of different versions, plain or gzipped. Of what folders have of a run, the "
    "newest is taken: dumps and raw files of one run, or a merge and its inputs; "
    "a raw file only if it lacks no counts that an older dump has. What you name is all taken; a "
    "warning says which run is counted twice. So does one of inputs that do not say of which run "
    "they are (provenance=n, other programs): they may be counted twice, and one of harvests that "
    "may be of one JVM. A raw file of a "
    "folder that has no snapshot yet is left out. What is in folders "
    "and also named counts as named only. The output may be one of the "
    "inputs: it is replaced only after everything has been read and written, and never if it was "
    "unreadable, with any --failure-mode, or if it is a raw file. A new one can be read by no "
    "more than all inputs: it is for your user, or for your user and group only, if that holds for "
    "an input. What comes from a pipe does not show who may read it: then it is for your user.",
    kMergeExamples, [] { return std::unique_ptr<Command>(new MergeCommand); }};

}  // namespace iprof::cli
