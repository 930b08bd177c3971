// iprof harvest: a profile of a running JVM from the counters that HotSpot keeps anyway.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/hotspot/estimate/estimate.h"
#include "agent/hotspot/harvest/harvest_profile.h"
#include "agent/vm/settings/vm_identity.h"
#include "cli/entries.h"
#include "cli/harvest_attached.h"
#include "cli/harvest_core.h"
#include "cli/harvest_process.h"
#include "cli/harvest_run.h"
#include "cli/json_text.h"
#include "cli/jvm/process.h"
#include "cli/jvm/running_jvm.h"
#include "cli/jvm/target_wait.h"
#include "cli/jvm_options.h"
#include "cli/option_kinds.h"
#include "cli/profile_files.h"
#include "cli/program_wait.h"
#include "cli/terminal_text.h"
#include "writer/image/finish_for_image.h"
#include "writer/io/agent_section.h"
#include "writer/ops/unite.h"

namespace iprof::cli {
namespace {

class HarvestCommand : public Command {
 public:
  void Define(OptionList& options) override {
    AddPidOrCore(options, pid_, core_);
    options
        .Add("--libjvm", libjvm_,
             "The libjvm.so that ran, if the core lacks parts of it and it is elsewhere here")
        .Takes("FILE");
    options.Add("-o,--output", output_, "The profile to write ('-': standard output)")
        .Takes("FILE");
    options.AddFlag("--list", list_, "Only say what this JVM offers");
    options.AddFlag("--attach", attach_,
                    "Let the JVM's own process read its counters, where this user may attach to it "
                    "but not read its memory");
    AddDuration(
        options, "--watch", watch_,
        "Harvest again and again for this long or until Ctrl-C, and keep what is unloaded or "
        "compiled anew meanwhile");
    AddDuration(options, "--every", every_,
                "The time between two harvests of --watch (default: 1m)");
    options.AddFlag("--no-estimate", no_estimate_,
                    "Write calls and weights as HotSpot counted them, until it stopped counting");
    AddShare(options, "--receivers-max-lost", max_lost_,
             "Leave out call sites and type checks with a larger share of unlisted classes "
             "(default: 2%)");
    options.AddFlag("--no-image", no_image_,
                    "Write everything, also what an image build cannot use");
    AddTarget(options, target_);
    AddChoice(options, "--output-version", version_, {"auto", "1.0.0", "1.1.0"},
              "Format version (default: auto, 1.1.0 if there are type checks)");
    options.AddFlag("--gzip", gzip_, "Compress (implied by a name that ends in .gz)");
    AddTimeout(options, timeouts_);
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    if (list_ != output_.empty()) {
      return console.Error(Status(Code::kUsage, "give either -o FILE or --list"));
    }
    if (format_ == "json" && output_ == "-") {
      return console.Error(
          Status(Code::kUsage, "--format json and -o - would both write to standard output"));
    }
    if (!core_.empty() && (attach_ || watch_.count() > 0)) {
      return console.Error(Status(
          Code::kUsage, "a core file does not change: --attach and --watch are for processes"));
    }
    if (core_.empty() && !libjvm_.empty())
      return console.Error(Status(Code::kUsage, "--libjvm is for core files"));
    if (attach_) return RunAttached(console);
    if (!core_.empty()) return Watch(console, nullptr);
    // It stays open, so that another program that gets the same number later is not taken for it.
    const Result<jvm::Process> process = jvm::Process::Open(pid_);
    if (!process.ok()) return console.Error(process.status());
    std::optional<jvm::HeldSignals>
        held;  // an interrupt ends the watch, and what was harvested counts
    if (watch_.count() > 0) held.emplace();
    return Watch(console, &*process);
  }

 private:
  // Harvests once, or with --watch until its end. A core file has no process.
  ExitCode Watch(Console& console, const jvm::Process* process) {
    const auto end = std::chrono::steady_clock::now() + watch_;
    std::optional<Profile> united;
    int64_t harvests = 0;
    while (true) {
      Result<ProcessHarvest> harvest = Read(process);
      const bool is_last = std::chrono::steady_clock::now() + every_ > end;
      if (!harvest.ok()) {
        if (!united) return console.Error(harvest.status());
        const bool has_ended = process != nullptr && process->HasEnded();
        console.Warn(fmt::format("{}; {} {} the {} harvests before", harvest.status().message(),
                                 output_ == "-" ? "standard output" : output_,
                                 has_ended || is_last ? "holds" : "goes on from", harvests));
        if (has_ended || is_last || IsInterrupted(console, *process))
          return Finish(console, *united);
        continue;
      }
      if (!harvest->unread.empty()) console.Warn(harvest->unread);
      if (list_) {
        Report(console, *harvest, nullptr);
        return ExitCode::kOk;
      }
      harvest->note.harvests = ++harvests;
      const std::vector<hotspot::MethodScale> scales = MakeScales(*harvest);
      Profile profile = MakeProfile(*harvest, scales);
      united = united ? UniteByLargest(*united, profile) : std::move(profile);
      if (output_ != "-") {
        const Status written = Write(console, *united);
        if (!written.ok()) return console.Error(written);
      }
      if (is_last || IsInterrupted(console, *process)) {
        if (output_ != "-") Report(console, *harvest, &*united);
        return Finish(console, *united);
      }
    }
  }

  // Waits for the next harvest, which is due at once when the program has ended: it says so.
  bool IsInterrupted(const Console& console, const jvm::Process& process) const {
    return WaitFor(console, process, "until the next harvest", every_) == Ending::kInterrupt;
  }

  Status Write(Console& console, const Profile& profile) const {
    return WriteProfileOutput(console, profile, output_, version_, /*pretty=*/false, gzip_);
  }

  // Standard output gets one profile, at the end; a file has it already.
  ExitCode Finish(Console& console, const Profile& united) const {
    if (output_ != "-") return ExitCode::kOk;
    const Status written = Write(console, united);
    return written.ok() ? ExitCode::kOk : console.Error(written);
  }

  ExitCode RunAttached(Console& console) {
    if (list_ || watch_.count() > 0) {
      return console.Error(Status(Code::kUsage,
                                  "--attach harvests once, and writes a profile: give "
                                  "-o FILE, and neither --list nor --watch"));
    }
    const Result<jvm::Process> process = jvm::Process::Open(pid_);
    if (!process.ok()) return console.Error(process.status());
    const Result<jvm::RunningJvm> jvm = jvm::LookAt(*process);
    if (!jvm.ok()) return console.Error(jvm.status());
    Result<Profile> profile =
        HarvestAttached({pid_, !no_estimate_, max_lost_, NamingJdk()}, timeouts_);
    if (!profile.ok()) return console.Error(profile.status());
    AddProvenance(HarvestedRun(jvm->public_program, jvm->jdk_version), *profile);
    const Profile made =
        ForImage(std::move(*profile), vm::MakeVmIdentity("", jvm->jdk_version).major);
    const Status written =
        WriteProfileOutput(console, made, output_, version_, /*pretty=*/false, gzip_);
    if (!written.ok()) return console.Error(written);
    if (output_ != "-") ReportWritten(console, made);
    return ExitCode::kOk;
  }

  void ReportWritten(Console& console, const Profile& profile) const {
    if (format_ != "json") {
      return console.Print("{}\n", DescribeWritten(output_, profile));
    }
    JsonText json(console);
    json.StartObject();
    json.Field("pid", static_cast<int64_t>(pid_));
    json.Field("output", output_);
    json.Field("types", profile.type_count());
    json.Field("methods", profile.method_count());
    json.EndObject();
  }

  Result<ProcessHarvest> Read(const jvm::Process* process) const {
    return process != nullptr ? HarvestProcess(*process, NamingJdk())
                              : HarvestCore({core_, libjvm_}, NamingJdk());
  }

  Profile ForImage(Profile profile, int32_t major) const {
    const ImageTarget target =
        target_.empty() ? ImageTargetForJdk(major) : TargetOf(target_, std::nullopt);
    return FinishForImage(std::move(profile), target, !no_image_).profile;
  }

  int NamingJdk() const { return target_.empty() ? 0 : JdkOf(TargetOf(target_, std::nullopt)); }

  std::vector<hotspot::MethodScale> MakeScales(ProcessHarvest& harvest) const {
    if (no_estimate_) return hotspot::RawScales(*harvest.program);
    hotspot::Estimate estimate = hotspot::EstimateCalls(*harvest.program);
    harvest.note.estimator = hotspot::kEstimatorName;
    harvest.note.recursive_groups = estimate.recursive_groups;
    return std::move(estimate.scales);
  }

  Profile MakeProfile(const ProcessHarvest& harvest,
                      const std::vector<hotspot::MethodScale>& scales) {
    const hotspot::HarvestedProgram& program = *harvest.program;
    Profile profile;
    profile.AddStandardTypes();
    result_ = hotspot::WriteHarvest(program, scales, {.max_lost = max_lost_}, profile);
    SetAgentPart(profile, kHarvestPart, harvest.note.ToJson());
    RunNote run = HarvestedRun(harvest.public_program, harvest.jdk_version);
    if (core_.empty()) {
      run.start_ms = run.end_ms - harvest.note.jvm_age_s * 1000;
      run.recorded_ms = run.end_ms - run.start_ms;
    } else {
      run.end_ms = 0;  // a core does not say when it was written
      run.architecture.clear();
    }
    run.Lose("sites", result_.sites_left_out + program.counts.checks_unknown);
    run.Lose("method_data", program.counts.failed);
    run.Lose("lambdas_without_name", program.counts.unnamed_lambdas);
    AddProvenance(run, profile);
    return ForImage(std::move(profile), program.major);
  }

  // Without a profile: what the JVM offers.
  void Report(Console& console, const ProcessHarvest& harvest, const Profile* profile) const {
    if (format_ == "json") {
      PrintJson(console, harvest, profile);
    } else {
      PrintText(console, harvest, profile);
    }
  }

  void PrintText(Console& console, const ProcessHarvest& harvest, const Profile* profile) const {
    const hotspot::HarvestCounts& counts = harvest.program->counts;
    if (profile != nullptr) {
      console.Print("{}\n", DescribeWritten(output_, *profile));
    } else {
      console.Print("{}: {}, JDK {}, {} classes{}\n",
                    core_.empty() ? fmt::format("process {}", pid_) : EscapeForTerminal(core_),
                    EscapeForTerminal(harvest.main_class), EscapeForTerminal(harvest.jdk_version),
                    harvest.program->classes.size(),
                    core_.empty() ? fmt::format(", running for {} s", harvest.note.jvm_age_s)
                                  : std::string());
      console.Print("up to {} classes at each call site (-XX:TypeProfileWidth)\n",
                    harvest.note.type_width);
    }
    console.Print("{} methods have counters, {} more ran without; {} failed a check\n",
                  counts.method_datas - counts.failed, counts.without_data, counts.failed);
    for (const std::string& example : counts.failed_examples)
      console.Print("  {}\n", EscapeForTerminal(example));
    if (profile != nullptr) {
      console.Print("left out: {} call sites and type checks with too many classes\n",
                    result_.sites_left_out + counts.checks_unknown);
    }
    if (counts.with_probes > 0 && profile != nullptr) {
      console.Warn(
          fmt::format("{} methods have only calls, because the agent counts in them: its own "
                      "profile (iprof dump) "
                      "has everything",
                      counts.with_probes));
    }
    console.Print("without a name in an image: {} lambdas, {} other generated classes\n",
                  counts.unnamed_lambdas, counts.left_out_classes);
    if (harvest.note.trained)
      console.Print("the AOT cache's training run is part of these counts\n");
  }

  void PrintJson(Console& console, const ProcessHarvest& harvest, const Profile* profile) const {
    const hotspot::HarvestCounts& counts = harvest.program->counts;
    JsonText json(console);
    json.StartObject();
    if (core_.empty()) {
      json.Field("pid", static_cast<int64_t>(pid_));
    } else {
      json.Field("core", core_);
    }
    json.Field("program", harvest.main_class);
    json.Field("jdk", harvest.jdk_version);
    if (core_.empty()) json.Field("age_s", harvest.note.jvm_age_s);
    json.Field("type_width", harvest.note.type_width);
    json.Field("classes", harvest.program->classes.size());
    json.Field("methods_loaded", harvest.program->methods.size());
    json.Field("methods_with_data", counts.method_datas);
    json.Field("methods_without_data", counts.without_data);
    json.Field("failed", counts.failed);
    json.Field("sites_without_rows", counts.sites_without_rows);
    json.Field("type_checks_unknown", counts.checks_unknown);
    json.Field("methods_with_probes", counts.with_probes);
    json.Field("unnamed_lambdas", counts.unnamed_lambdas);
    json.Field("generated_classes", counts.left_out_classes);
    json.Field("trained", harvest.note.trained);
    // What reading cost, and all of it, with the estimate and the writing.
    json.Field("read_cpu_us", harvest.read_us);
    json.Field("read_cpu_us_per_10000_methods",
               harvest.read_us * 10'000 /
                   static_cast<int64_t>(std::max<uint64_t>(harvest.CalledMethods(), 1)));
    json.Field("cpu_us", ProcessorTimeUs());
    if (profile != nullptr) {
      json.Field("output", output_);
      json.Field("types", profile->type_count());
      json.Field("methods", profile->method_count());
      json.Field("sites_left_out", result_.sites_left_out);
      json.Field("estimator", harvest.note.estimator);
      json.Field("harvests", harvest.note.harvests);
    }
    json.EndObject();
  }

  pid_t pid_ = 0;
  std::string core_, libjvm_;
  std::string output_;
  bool list_ = false;
  bool attach_ = false;
  jvm::AttachTimeouts timeouts_;
  std::chrono::milliseconds watch_{0};
  std::chrono::milliseconds every_{60'000};
  bool no_estimate_ = false;
  double max_lost_ = 0.02;
  bool no_image_ = false;
  std::string target_;
  std::string version_ = "auto";
  bool gzip_ = false;
  std::string format_ = "text";
  AssemblyResult result_;
};

constexpr Example kExamples[] = {
    {"iprof harvest 4711 -o app.iprof", "A profile of a program that knows nothing of iprof."},
    {"iprof harvest 4711 -o app.iprof --watch 1h --every 5m",
     "For a program that loads, unloads and recompiles its code meanwhile."},
    {"iprof harvest 4711 -o app.iprof --attach",
     "Where the memory of another process may not be read."},
    {"iprof harvest core.4711 -o app.iprof", "What a JVM had counted when it crashed."},
    {"iprof harvest 4711 --list", "What this JVM offers."},
    {"iprof harvest 4711 --target 25 -o app.iprof", "For an image that GraalVM for JDK 25 builds."},
};

}  // namespace

const CommandEntry kHarvestEntry = {
    "harvest", "Make a profile of a running JVM from HotSpot's own counters",
    "Reads the counters that HotSpot keeps for its compilers from the memory of the JVM with that "
    "process id, and writes them as a profile: calls, branches, switches, receivers and type "
    "checks. The JVM needs no agent and no option, and it is neither stopped nor changed.\n\n"
    "A core file is read in the same way. The kernel leaves code and constants out of it, which "
    "are "
    "read from libjvm.so and the CDS archive: from the paths that the core names, or from the "
    "folder "
    "of --libjvm. A libjvm.so of another build is refused.\n\n"
    "Reading another process's memory needs the right to ptrace it: root, CAP_SYS_PTRACE, or the "
    "same user with kernel.yama.ptrace_scope=0. Without it, the JVM's own user can use --attach, "
    "which "
    "loads the agent's library into the JVM for this alone.",
    kExamples, [] { return std::unique_ptr<Command>(new HarvestCommand); }};

}  // namespace iprof::cli
