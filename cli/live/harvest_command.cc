// iprof harvest: a profile of a running JVM from the counters that HotSpot keeps anyway.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/harvest/harvest_profile.h"
#include "agent/harvest/possible_estimate.h"
#include "agent/settings/vm_identity.h"
#include "cli/files/output_claim.h"
#include "cli/files/profile_files.h"
#include "cli/files/replaced_inputs.h"
#include "cli/files/target_option.h"
#include "cli/jvm/process.h"
#include "cli/jvm/running_jvm.h"
#include "cli/jvm/target_wait.h"
#include "cli/live/harvest_attached.h"
#include "cli/live/harvest_core.h"
#include "cli/live/harvest_fresh.h"
#include "cli/live/harvest_process.h"
#include "cli/live/harvest_report.h"
#include "cli/live/harvest_run.h"
#include "cli/live/harvest_samples.h"
#include "cli/live/jvm_options.h"
#include "cli/live/large_pages.h"
#include "cli/live/live_entries.h"
#include "cli/live/program_wait.h"
#include "cli/terminal/option_kinds.h"
#include "writer/base/grouped.h"
#include "writer/base/lost_share.h"
#include "writer/ops/unite.h"
#include "writer/profile/image/finish_for_image.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/harvest_note.h"

namespace iprof::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kUsuallyEvery{60'000};

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
        "Harvest again and again for this long or until Ctrl-C, a last time at its end, and keep "
        "what is unloaded or compiled again in between");
    AddDuration(options, "--every", every_,
                "The time between two harvests of --watch (default: 1m)");
    AddDuration(options, "--fresh", fresh_,
                "First let HotSpot count the hot classes from zero, as 'iprof refresh' does, and "
                "wait this long or until Ctrl-C, so that the profile shows what the program does "
                "now; short pauses, and slower until the hot code is compiled again");
    AddDuration(options, "--samples", samples_,
                "First attach the agent and record samples for this long or until Ctrl-C; it "
                "counts nothing and changes no class");
    options
        .Add("--jfr", jfr_,
             "Add the samples, allocations and waits for locks of a recording of Java Flight "
             "Recorder of this program")
        .Takes("FILE");
    options.AddFlag("--no-estimate", no_estimate_,
                    "Write calls and weights as HotSpot counted them, until it stopped counting");
    AddShare(options, "--receivers-max-lost", max_lost_,
             "Leave out call sites and type checks with a larger share of unlisted classes "
             "(default: 20%)");
    options.AddFlag("--no-image", no_image_,
                    "Write everything, also what an image build cannot use");
    AddTarget(options, target_);
    AddOutputVersion(options, version_,
                     "Format version (default: auto, 1.1.0 if there are type checks)");
    options.AddFlag("--gzip", gzip_, "Compress (implied by a name that ends in .gz)");
    timeout_option_ = AddTimeout(options, timeouts_);
    AddFormat(options, format_);
  }

  ExitCode Run(Console& console) override {
    if (format_ == "text" && output_ != "-") console.WrapLines();
    if (list_ != output_.empty()) {
      return console.Error(Status(Code::kUsage, "give either -o FILE or --list"));
    }
    if (format_ == "json" && output_ == "-") {
      return console.Error(
          Status(Code::kUsage, "--format json and -o - would both write to standard output"));
    }
    if (Status status = CheckWindows(); !status.ok()) return console.Error(status);
    if (!core_.empty() && (attach_ || watch_.count() > 0)) {
      return console.Error(Status(
          Code::kUsage, "a core file does not change: --attach and --watch are for processes"));
    }
    if (every_.count() > 0 && watch_.count() == 0) {
      return console.Error(Status(
          Code::kUsage, "--every is the time between the harvests of --watch: give --watch, too"));
    }
    if (core_.empty() && !libjvm_.empty())
      return console.Error(Status(Code::kUsage, "--libjvm is for core files"));
    if (timeout_option_.given() && !attach_ && !Samples() && !IsFresh()) {
      return console.Error(Status(Code::kUsage,
                                  "--timeout is how long --attach, --fresh and --samples wait for "
                                  "the JVM: give one of them, too"));
    }
    if (Status status = CheckReplaces({core_, libjvm_, jfr_}); !status.ok())
      return console.Error(status);
    Result<vm::OutClaim> claim = vm::OutClaim();  // until the end
    if (!list_) claim = ClaimOutput(console, output_);
    if (!claim.ok()) return console.Error(claim.status());
    std::optional<jvm::HeldSignals>
        held;  // an interrupt ends the watch, the wait or the samples, and what there is counts
    if (watch_.count() > 0 || Samples() || IsFresh()) held.emplace();
    if (!jfr_.empty()) {
      if (Status status = ReadRecording(console); !status.ok()) return console.Error(status);
    }
    if (!core_.empty()) return Watch(console, nullptr);
    // It stays open, so that another program that gets the same number later is not taken for it.
    const Result<jvm::Process> process = jvm::Process::Open(pid_);
    if (!process.ok()) return console.Error(process.status());
    if (Status status = Prepare(console, *process); !status.ok()) return console.Error(status);
    if (attach_) return RunAttached(console);
    return Watch(console, &*process);
  }

 private:
  bool Samples() const { return samples_.count() > 0; }

  bool IsFresh() const { return fresh_.count() > 0; }

  // --fresh and --samples do something before one harvest.
  Status CheckWindows() const {
    if (!jfr_.empty() && Samples())
      return Status(Code::kUsage, "--samples and --jfr both say where the samples come from");
    if (!jfr_.empty() && (list_ || watch_.count() > 0)) {
      return Status(Code::kUsage,
                    "--jfr harvests once, and writes a profile: give -o FILE, and neither --list "
                    "nor --watch");
    }
    if (!Samples() && !IsFresh()) return Status();
    if (!core_.empty()) {
      return Status(Code::kUsage, fmt::format("a core file runs no more: no --{} of it",
                                              Samples() ? "samples" : "fresh"));
    }
    if (list_ || watch_.count() > 0) {
      return Status(Code::kUsage,
                    fmt::format("{} once, and writes a profile: give -o FILE, and neither --list "
                                "nor --watch",
                                Samples() ? "--samples records" : "--fresh harvests"));
    }
    if (!Samples()) return Status();
    return cli::CheckSamples(SamplesOf());
  }

  SamplesOrder SamplesOf() const {
    return {.pid = pid_, .duration = samples_, .is_filtered = !no_image_, .timeouts = timeouts_};
  }

  // Before the harvest, which then has the program's last counts.
  Status ReadRecording(Console& console) {
    RecordingChoice choice{.path = jfr_,
                           .target = std::nullopt,
                           .is_filtered = !no_image_,
                           .says_facts = output_ != "-" && format_ == "text"};
    if (!target_.empty()) choice.target = TargetOf(target_, std::nullopt);
    Result<RecordedSamples> samples = SamplesOfRecording(choice, console);
    if (samples.ok()) recorded_.emplace(std::move(*samples));
    return samples.status();
  }

  void WarnOfOtherJdk(Console& console, const std::string& jdk_version) const {
    if (!recorded_ || IsOfJdk(*recorded_, jdk_version)) return;
    console.Warn(fmt::format(
        "{} is of JDK {}, and the program runs with {}: positions in the JDK may differ", jfr_,
        recorded_->jvm_version, jdk_version));
  }

  // What comes before the harvest, so that its counters are those at the end of it.
  Status Prepare(Console& console, const jvm::Process& process) {
    if (!Samples() && !IsFresh()) return Status();
    if (!attach_) {
      if (Status status = CheckReadable(process); !status.ok()) return status;
    }
    if (IsFresh() && Samples()) {  // a refusal is no reason to refresh
      if (Status status = CheckSampler(SamplesOf(), console); !status.ok()) return status;
    }
    if (IsFresh()) {
      const Result<FreshCounts> fresh = CountAnew(process, fresh_, timeouts_, console);
      if (!fresh.ok()) return fresh.status();
      fresh_counts_ = *fresh;
    }
    return Samples() ? Sample(console, process) : Status();
  }

  Status Sample(Console& console, const jvm::Process& process) {
    const Result<jvm::RunningJvm> jvm = jvm::LookAt(process);
    if (!jvm.ok()) return jvm.status();
    SamplesOrder order = SamplesOf();
    order.target = TargetFor(vm::MakeVmIdentity("", jvm->jdk_version).major);
    Result<RecordedSamples> samples = RecordSamples(order, console);
    if (samples.ok()) recorded_.emplace(std::move(*samples));
    return samples.status();
  }

  Status CheckReplaces(const std::vector<std::string>& inputs) const {
    return CheckReplacesNone(output_, inputs, "profile");
  }

  // Harvests once, or with --watch until its end, and then a last time. A core file has no process.
  ExitCode Watch(Console& console, const jvm::Process* process) {
    const Clock::time_point end = Clock::now() + watch_;
    std::optional<Profile> united;
    HarvestReport report;  // on the last harvest that succeeded
    int64_t harvests = 0;
    while (true) {
      const bool is_last = Clock::now() >= end;
      UseLargePages();
      Result<ProcessHarvest> harvest = Read(process);
      if (!harvest.ok()) {
        if (!united) return console.Error(harvest.status());
        const bool has_ended = process != nullptr && process->HasEnded();
        console.Warn(fmt::format("{}; {} {} the {} before", harvest.status().message(),
                                 output_ == "-" ? "standard output" : output_,
                                 has_ended || is_last ? "holds" : "goes on from",
                                 harvests == 1 ? "harvest" : Grouped(harvests) + " harvests"));
        if (has_ended || is_last || IsInterrupted(console, *process, end))
          return Finish(console, std::move(report), *united);
        continue;
      }
      if (Status status = CheckReplaces(harvest->files); !status.ok()) return console.Error(status);
      if (!harvest->unread.empty()) console.Warn(harvest->unread);
      if (harvests == 0) WarnOfUncounted(console, *harvest->program);
      if (harvests == 0) WarnOfOtherJdk(console, harvest->jdk_version);
      if (list_) {
        Print(console, ReportOn(*harvest));
        return ExitCode::kOk;
      }
      harvest->note.harvests = ++harvests;
      const auto scales = MakeScales(*harvest);
      if (!scales.ok()) return console.Error(scales.status());
      if (const std::string refusal = hotspot::DescribeRefusal(harvest->note); !refusal.empty())
        console.Warn(refusal);
      Profile profile = MakeProfile(*harvest, *scales);
      united = united ? UniteByLargest(*united, profile) : std::move(profile);
      if (output_ != "-") {
        const Status written = Write(console, *united);
        if (!written.ok()) return console.Error(written);
      }
      report = ReportOn(*harvest);
      if (is_last || IsInterrupted(console, *process, end))
        return Finish(console, std::move(report), *united);
    }
  }

  // Waits for the next harvest, which is due at the end of the watch at the latest, and at once when the
  // program has ended: it says so.
  bool IsInterrupted(const Console& console, const jvm::Process& process,
                     Clock::time_point end) const {
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    const auto pause =
        std::clamp(rest, std::chrono::milliseconds(0), every_.count() > 0 ? every_ : kUsuallyEvery);
    GiveBackMemory();
    return WaitFor(console, process, "until the next harvest", pause) == Ending::kInterrupt;
  }

  static void WarnOfUncounted(Console& console, const hotspot::HarvestedProgram& program) {
    if (program.without_compiled_counts.empty()) return;
    console.Warn(
        fmt::format("the JVM runs with {}, so its compiled code counts no branches and receivers: "
                    "they are those of interpreted code only",
                    program.without_compiled_counts));
  }

  Status Write(Console& console, const Profile& profile) const {
    return WriteProfileOutput(console, profile, output_, version_, /*pretty=*/false, gzip_,
                              Readers::kOwner);
  }

  // Standard output gets one profile, at the end; a file has it already, and is reported.
  ExitCode Finish(Console& console, HarvestReport report, const Profile& united) const {
    report.profile = &united;
    if (recorded_) report.sampled = recorded_->recorded;
    report.fresh = fresh_counts_;
    if (output_ != "-") {
      Print(console, std::move(report));
      return ExitCode::kOk;
    }
    const Status written = Write(console, united);
    if (!written.ok()) return console.Error(written);
    if (const std::string hint = report.AboutSamples(); !hint.empty()) console.Warn(hint);
    return ExitCode::kOk;
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
    if (!profile.ok()) {
      return console.Error(jvm->attach_disabled ? OrFromOutside(profile.status())
                                                : profile.status());
    }
    WarnOfOtherJdk(console, jvm->jdk_version);
    const HarvestNote note = HarvestNote::Of(*profile).value_or(HarvestNote());
    RunNote run = RunOf(note, jvm->public_program, jvm->jdk_version);
    if (recorded_) AddSamples(recorded_->profile, *profile, run);
    AddProvenance(run, *profile);
    const ImageTarget target = TargetFor(vm::MakeVmIdentity("", jvm->jdk_version).major);
    const Profile made = FinishForImage(std::move(*profile), target, !no_image_).profile;
    HarvestReport report;
    report.program = jvm->program;
    report.jdk_version = jvm->jdk_version;
    report.note = note;
    if (output_ == "-") return Finish(console, std::move(report), made);
    const Status written = Write(console, made);
    if (!written.ok()) return console.Error(written);
    return Finish(console, std::move(report), made);
  }

  static Status OrFromOutside(const Status& failure) {
    return {
        failure.code(),
        failure.message() +
            "; or harvest without --attach, with the right to read its memory (as root, or with "
            "CAP_SYS_PTRACE)"};
  }

  Result<ProcessHarvest> Read(const jvm::Process* process) const {
    return process != nullptr ? HarvestProcess(*process, NamingJdk())
                              : HarvestCore({core_, libjvm_}, NamingJdk());
  }

  ImageTarget TargetFor(int32_t major) const {
    return target_.empty() ? ImageTargetForJdk(major) : TargetOf(target_, std::nullopt);
  }

  int NamingJdk() const { return target_.empty() ? 0 : JdkOf(TargetOf(target_, std::nullopt)); }

  Result<std::vector<hotspot::MethodScale>> MakeScales(ProcessHarvest& harvest) const {
    if (no_estimate_) return hotspot::RawScales(*harvest.program);
    auto scales = hotspot::EstimatePossible(*harvest.program, harvest.note);
    if (scales.ok()) return scales;
    return Status(scales.status().code(),
                  fmt::format("{} {}", core_.empty() ? fmt::format("process {}", pid_) : core_,
                              scales.status().message()));
  }

  // Also completes the note.
  Profile MakeProfile(ProcessHarvest& harvest,
                      const std::vector<hotspot::MethodScale>& scales) const {
    const hotspot::HarvestedProgram& program = *harvest.program;
    const ImageTarget target = TargetFor(program.major);
    hotspot::HarvestParts parts{.max_lost = max_lost_};
    if (!no_image_) parts.image = target;
    Profile profile;
    profile.AddStandardTypes();
    const AssemblyResult written = hotspot::WriteHarvest(program, scales, parts, profile);
    harvest.note.sites_left_out += static_cast<int64_t>(written.sites_left_out);
    SetAgentPart(profile, kHarvestPart, harvest.note.ToJson());
    RunNote run = RunOf(harvest.note, harvest.public_program, harvest.jdk_version);
    if (recorded_) AddSamples(recorded_->profile, profile, run);
    AddProvenance(run, profile);
    if (no_image_) return FinishForImage(std::move(profile), target, false).profile;
    FinishFiltered(profile, target);
    return profile;
  }

  RunNote RunOf(const HarvestNote& note, const std::string& program,
                const std::string& jdk_version) const {
    RunNote run = HarvestedRun(program, jdk_version);
    if (!core_.empty()) {
      run.end_ms = 0;  // a core does not say when it was written
      run.architecture.clear();
    } else if (note.jvm_age_s >= 0) {
      run.start_ms = run.end_ms - note.jvm_age_s * 1000;
      run.recorded_ms = run.end_ms - run.start_ms;
    }
    note.AddLosses(&run);
    return run;
  }

  void Print(Console& console, HarvestReport report) const {
    report.pid = pid_;
    report.core = core_;
    report.output = output_;
    report.is_filtered = !no_image_;
    if (format_ == "json") {
      report.PrintJson(console);
    } else {
      report.PrintText(console);
    }
  }

  // Without a profile: what the JVM offers.
  static HarvestReport ReportOn(const ProcessHarvest& harvest) {
    HarvestReport report;
    report.program = harvest.main_class;
    report.jdk_version = harvest.jdk_version;
    report.note = harvest.note;
    report.read.emplace(harvest);
    return report;
  }

  pid_t pid_ = 0;
  std::string core_, libjvm_;
  std::string output_;
  bool list_ = false;
  bool attach_ = false;
  jvm::AttachTimeouts timeouts_;
  OptionRow timeout_option_;
  std::chrono::milliseconds watch_{0};
  std::chrono::milliseconds every_{0};  // 0: not given
  std::chrono::milliseconds fresh_{0};  // 0: not given
  std::optional<FreshCounts> fresh_counts_;
  std::chrono::milliseconds samples_{0};  // 0: not given
  std::string jfr_;
  std::optional<RecordedSamples> recorded_;
  bool no_estimate_ = false;
  double max_lost_ = kMostLostHarvest;
  bool no_image_ = false;
  std::string target_;
  std::string version_ = "auto";
  bool gzip_ = false;
  std::string format_ = "text";
};

constexpr Example kHarvestExamples[] = {
    {"iprof harvest 4711 -o app.iprof", "A profile of a program that knows nothing of iprof."},
    {"iprof harvest 4711 -o app.iprof --watch 1h --every 5m",
     "For a program that loads, unloads and recompiles its code as it runs."},
    {"iprof harvest 4711 -o app.iprof --fresh 5s",
     "What the program does now, and not how it began."},
    {"iprof harvest 4711 -o app.iprof --samples 30s",
     "With samples of half a minute, without which an image build may do worse."},
    {"iprof harvest 4711 --jfr app.jfr -o app.iprof",
     "With what Java Flight Recorder recorded, where nothing may be loaded into the program."},
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
    "HotSpot counts a method until its best compiler has compiled it, so the profile shows how the "
    "program began. --fresh lets HotSpot count the hot classes from zero, waits while the program "
    "works, and harvests then. That takes some ten short pauses and one to three seconds of CPU "
    "time.\n\n"
    "The counters have no samples. --samples attaches the agent first, which records where the CPU "
    "time goes, counts nothing, and changes no class; it stays loaded and idle. --jfr takes them, "
    "allocations and "
    "waits for locks from a recording of Java Flight Recorder.\n\n"
    "A core file is read in the same way. The kernel leaves code and constants out of it, which "
    "are "
    "read from libjvm.so and the CDS archive: from the paths that the core names, or from the "
    "folder "
    "of --libjvm. A libjvm.so of another build is refused.\n\n"
    "Reading another process's memory needs the right to ptrace it: root, CAP_SYS_PTRACE, or the "
    "same user with kernel.yama.ptrace_scope=0. Without it, the JVM's own user can use --attach, "
    "which "
    "loads the agent's library into the JVM for this alone.",
    kHarvestExamples, [] { return std::unique_ptr<Command>(new HarvestCommand); }};

}  // namespace iprof::cli
