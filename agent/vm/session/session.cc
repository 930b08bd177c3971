#include "agent/vm/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "agent/vm/counting/class_origin_choice.h"
#include "agent/vm/counting/counting_environment.h"
#include "agent/vm/counting/other_agents.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jdk_version.h"
#include "agent/vm/jvmti/vm_flags.h"
#include "agent/vm/session/raw_place.h"
#include "agent/vm/session/weights_file.h"
#include "agent/vm/settings/container_memory.h"
#include "agent/vm/settings/out_path.h"
#include "agent/vm/snapshot/snapshots.h"
#include "writer/base/grouped.h"
#include "writer/control/command.h"

namespace iprof::vm {
namespace {

// Far longer than listing the classes takes.
constexpr auto kListPatience = std::chrono::seconds(5);

constexpr auto kReleasePatience = std::chrono::seconds(2);

// How long the JVM's exit may wait for a thread: less than it would wait itself.
constexpr auto kExitPatience = std::chrono::milliseconds(100);

constexpr auto kRenewalPeriod = std::chrono::seconds(1);
// A swap of a few classes may be running.
constexpr auto kRenewalPatience = std::chrono::seconds(2);

// Far longer than many JVMs take that end at once and merge. Others are not waited for.
constexpr auto kMergePatience = std::chrono::seconds(60);

// Far longer than a snapshot takes.
constexpr auto kSnapshotPatience = std::chrono::seconds(2);
// Far longer than a partial profile takes, for which a stop of the recording waits.
constexpr auto kPartialPatience = std::chrono::seconds(20);

// A partial profile costs far more than a snapshot of the raw file.
constexpr int kSnapshotsInPartial = 12;

// The JDK of the image build: the one that the user asked for, or the running JVM's.
int TargetJdk(const Options& options, jvmtiEnv* jvmti) {
  return options.target_jdk != 0 ? options.target_jdk : JdkVersion(jvmti);
}

// Whether threads may wait for memory for ever once the JVM ends, because only threads of the
// collector free memory, and they have ended before. Other collectors work in the VM's own thread.
bool CollectorEndsFirst(const VmFlags& flags) {
  return flags.Bool("UseZGC").value_or(false) || flags.Bool("UseShenandoahGC").value_or(false);
}

std::chrono::milliseconds PeriodOf(const Options& options) {
  return std::chrono::milliseconds(options.snapshot.ns / 1'000'000);
}

CountingPlan PlanFor(const Options& options, bool late, const VmFlags& flags,
                     uint64_t budget_bytes) {
  return PlanCounting(
      options, late,
      {[&](std::string_view name) { return flags.Bool(name); },
       [&](std::string_view name) { return flags.Text(name); },
       [&](std::string_view prefix) { return flags.LastArgument(prefix); }},
      {.budget_bytes = budget_bytes, .most_heap_bytes = flags.Number("MaxHeapSize")});
}

}  // namespace

Session::Session(JavaVM* vm, JvmtiEnvironment environment, SessionSettings settings,
                 std::unique_ptr<Log> log, std::timed_mutex& dump_turn)
    : vm_(vm),
      environment_(std::move(environment)),
      settings_(std::move(settings)),
      files_(settings_.options, settings_.out_path),
      log_(std::move(log)),
      target_jdk_(TargetJdk(settings_.options, environment_.get())),
      classes_(vm),
      hidden_names_(RuleForJdk(target_jdk_),
                    instrument::UnboxingOfJdk(JdkVersion(environment_.get()))),
      unload_watch_(*log_),
      class_watch_(unload_watch_),
      proxies_(hidden_names_, unload_watch_),
      dump_turn_(dump_turn),
      renewal_thread_([this](jvmtiEnv*, JNIEnv* jni) { RenewCode(jni); }, kRenewalPeriod,
                      "iprof-precise") {
  unload_watch_.Tell([this](UnloadTag tag) { hidden_names_.Drop(tag); });
}

Session::~Session() = default;

Status Session::Prepare(bool running) {
  const Options& options = settings_.options;
  run_.SetBegin(running ? kBeginByAttach : begins_late_ ? kBeginLater : kBeginAtStart);
  if (Status status = unload_watch_.Start(vm_); !status.ok()) return status;
  if (!options.weights.empty()) {
    auto read = ReadWeights(options.weights);
    if (!read.ok()) return read.status();
    earlier_weights_ = std::move(*read);
  }
  if (!AsksForCounts(options) && !options.samples) return {};
  if (begins_late_ && AsksForCounts(options)) {
    Result<JvmtiEnvironment> opened = OpenForCounting(vm_, CountingStart::kRetransform, true);
    if (!opened.ok()) return opened.status();
    counting_environment_ = std::move(*opened);
  }
  if (!HiddenClasses::CanStart(vm_, *log_, running)) return {};
  hidden_ = std::make_unique<HiddenClasses>(*log_, hidden_names_, unload_watch_);
  return hidden_->Start(vm_);
}

// Makes what a recording needs, and an agent that waits for a start does not. Once, unless it failed.
Status Session::Equip() {
  if (is_equipped_) return {};
  if (Status claimed = files_.Claim(*log_); !claimed.ok())
    return {claimed.code(), "option 'out': " + claimed.message()};
  log_->Step(fmt::format("the profile will go to {}", files_.own_path()));
  run_.Learn(environment_.get(), settings_.options);
  collector_ends_first_ = CollectorEndsFirst(VmFlags(vm_));
  PlanMemory();
  if (AsksForCounts(settings_.options)) {
    if (Status status = EquipCounting(); !status.ok()) return status;
  }
  PlanSnapshots();
  is_equipped_ = true;
  return {};
}

Status Session::Start(bool running, const std::function<bool()>& is_over) {
  begins_late_ = running;
  if (Status status = Prepare(running); !status.ok()) return status;
  if (!running) {
    if (Status status = Equip(); !status.ok()) return status;
    begun_.store(Begun::kYes);
    run_.Begin();
    if (counting_ != nullptr) {
      if (Status status = counting_->Start(); !status.ok()) return status;
    }
    return settings_.options.samples ? FollowCode() : Status();
  }
  // VMInit has passed, so this thread may run Java code.
  JNIEnv* jni = nullptr;
  if (vm_->GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_10) != JNI_OK)
    return {Code::kInternal, "the loading thread is not attached to the JVM"};
  return Begin(jni, is_over);
}

// Starts the parts while the program runs.
Status Session::Begin(JNIEnv* jni, const std::function<bool()>& is_over) {
  if (Status status = Equip(); !status.ok()) return status;
  if (settings_.options.samples) {
    if (Status status = FollowCode(); !status.ok()) return status;  // before it is thrown away
  }
  if (counting_ != nullptr) {
    Status status(Code::kInternal, "counting could not be started");
    AtBoundary(*log_, "the start of counting", [&] { status = counting_->Begin(jni); });
    if (!status.ok()) return status;
  }
  // The program may have ended meanwhile, because it takes time to retransform all classes. If its end came first,
  // nothing is recorded; otherwise the end writes the profile.
  Begun no = Begun::kNo;
  if (is_over() || !begun_.compare_exchange_strong(no, Begun::kYes)) return {};
  run_.Begin();
  ReadyTheEnd(jni);
  if (settings_.options.samples) BeginSampling(is_over);
  StartRenewal(jni);
  StartSnapshots(jni);
  return {};
}

bool Session::GiveUpBegin() {
  Begun no = Begun::kNo;
  return begun_.compare_exchange_strong(no, Begun::kNever) || no == Begun::kNever;
}

// Does what must not be done at the end, because it may wait for memory.
void Session::ReadyTheEnd(JNIEnv* jni) {
  proxies_.LearnFields(jni);
  if (!collector_ends_first_) return;
  if (Status status = classes_.Park(environment_.get(), jni); !status.ok())
    log_->Step(fmt::format("the thread for the JVM's end did not start: {}", status.message()));
}

void Session::ReadyTheLastDump() {
  if (!collector_ends_first_ || classes_.End(environment_.get(), kListPatience)) return;
  log_->Warning(
      "the JVM did not list its classes at its end, perhaps because threads wait for memory: the "
      "profile has no classes that were never counted, and its samples have no lines");
}

Status Session::EquipCounting() {
  const VmFlags flags(vm_);
  CountingPlan plan = PlanFor(settings_.options, begins_late_, flags, budget_.limit());
  plan.names_lambdas = hidden_ != nullptr;
  plan.pause = std::chrono::nanoseconds(settings_.options.pause.ns);
  wants_early_start_ = plan.startup.start == CountingStart::kFirstBytecode;
  plan.restorable =
      plan.restorable || FindOtherAgents(flags.Arguments(), OwnLibrary()).after.empty();
  if (!counting_environment_) {
    Result<JvmtiEnvironment> opened = OpenForCounting(vm_, plan.startup.start, plan.restorable);
    if (!opened.ok()) return opened.status();
    counting_environment_ = std::move(*opened);
  }
  if (earlier_weights_ != nullptr)
    budget_.Set(instrument::MemoryPart::kWeights, earlier_weights_->bytes());
  plan.weights = std::make_shared<const instrument::KnownWeights>(std::move(earlier_weights_));
  plan.keeps_old_bytes = SwapGuard::IsNeededIn(JdkVersion(environment_.get()));
  auto origin = MakeClassOrigin(flags.Arguments(), plan, *log_);
  counting_ = std::make_unique<Counting>(
      CountingContext{vm_, *log_, classes_, proxies_, class_watch_, budget_,
                      [this](JNIEnv* jni) {
                        if (Sampling* const sampling = samples_.load())
                          sampling->LearnReplaced(jni);
                      }},
      std::move(plan), std::move(origin));
  if (Status status = counting_->Prepare(std::move(counting_environment_)); !status.ok())
    return status;
  counts_.store(counting_.get());  // from here on it stays
  if (hidden_ != nullptr) hidden_->CountWith(*counting_);
  return {};
}

Status Session::FollowCode() {
  if (Sampling* const sampling = samples_.load()) return sampling->Follow();
  if (sampling_ == nullptr) {
    sampling_ =
        std::make_unique<Sampling>(vm_, settings_.options, *log_, classes_, class_watch_, budget_);
  }
  const SamplingKnowledge knowledge{.names = &hidden_names_,
                                    .looks_after_unloaded = counting_ == nullptr};
  if (Status status = sampling_->Start(knowledge); !status.ok()) return status;
  samples_.store(sampling_.get());
  return {};
}

// Either the thread that handles the program's end sees samples_ and stops sampling, or this thread sees here that
// the end has come.
void Session::BeginSampling(const std::function<bool()>& is_over) {
  if (is_over()) return;
  AtBoundary(*log_, "the start of sampling", [&] {
    if (RenewsCode()) sampling_->WatchOldCode();
    sampling_->Begin();
  });
}

// Counting swaps the classes anyway, and with them goes all old code.
bool Session::RenewsCode() const {
  return settings_.options.precise && counting_ == nullptr && use_refresher_ != nullptr;
}

void Session::StartRenewal(JNIEnv* jni) {
  if (!RenewsCode() || samples_.load() == nullptr) return;
  if (!renewal_thread_.StopForStart()) return;
  {
    const std::lock_guard lock(renewal_mutex_);
    // What HotSpot has counted of the hot methods is to be in the profile.
    renewal_ = std::make_shared<CodeRenewal>(RenewalHooks(), !settings_.options.Harvests());
  }
  renewal_goes_on_.store(true);
  const Status status = renewal_thread_.Start(environment_.get(), jni);
  if (!status.ok())
    log_->Step(fmt::format("the thread for precise samples did not start: {}", status.message()));
}

CodeRenewal::Hooks Session::RenewalHooks() {
  const std::chrono::nanoseconds pause(settings_.options.pause.ns);
  const auto goes_on = [this] { return renewal_goes_on_.load(); };
  const auto use = [this](JNIEnv* jni, const std::function<void(Refresher&)>& body) {
    if (const Status status = use_refresher_(jni, body); !status.ok())
      log_->Step(fmt::format("code cannot be compiled anew: {}", status.message()));
  };
  return {
      .find = [this](double share) { return samples_.load()->FindOldCode(share); },
      .is_old = [this](const void* method) { return samples_.load()->IsOld(method); },
      .discard =
          [=, this](JNIEnv* jni) {
            log_->Step("hot code from before the recording has imprecise lines: it is discarded");
            use(jni, [&](Refresher& it) { it.DiscardOldCode(jni, pause, goes_on); });
          },
      .swap =
          [=, this](JNIEnv* jni, const ClassNames& names) {
            RestoredClasses done;
            use(jni, [&](Refresher& it) { done = it.Run(jni, names, pause, goes_on); });
            log_->Step(fmt::format("for precise lines: {}", Refresher::Text(done)));
            samples_.load()->LearnSwapped(jni);
            return done.outcome.classes;
          },
      .looping =
          [=](JNIEnv* jni) {
            std::optional<ClassNames> names;
            use(jni, [&](Refresher& it) { names = it.ClassesInLoops(jni); });
            return names;
          }};
}

void Session::RenewCode(JNIEnv* jni) {
  AtBoundary(*log_, "the renewal of code", [&] {
    const auto renewal = renewal_;  // only changed while this thread is stopped
    if (renewal->done() || !renewal_goes_on_.load()) return;
    renewal->Tick(jni);
    if (renewal->done()) samples_.load()->ForgetOldCode();
  });
}

bool Session::StopRenewal(std::chrono::milliseconds patience) {
  renewal_goes_on_.store(false);
  if (!renewal_thread_.Stop(patience)) return false;
  if (Sampling* const sampling = samples_.load()) sampling->ForgetOldCode();
  return true;
}

std::string Session::RenewalSummary() const {
  const CodeRenewal::Figures done = figures().renewal;
  if (done.compiled_anew + done.still_old == 0) return "";
  std::string text = fmt::format("compiled anew for precise lines: {}",
                                 Counted(done.compiled_anew, "hot method", "hot methods"));
  if (done.still_old > 0)
    text += fmt::format("; {} still {} older code, whose samples are on few lines", done.still_old,
                        done.still_old == 1 ? "runs" : "run");
  return text + "\n";
}

// Decides how much memory the agent may use.
void Session::PlanMemory() {
  Options& options = settings_.options;
  const auto given = [](const ByteSize& size) -> std::optional<uint64_t> {
    if (size.bytes == 0) return std::nullopt;
    return static_cast<uint64_t>(size.bytes);
  };
  const MemoryShares shares = ShareMemory({.memory = given(options.memory),
                                           .samples_memory = given(options.samples_memory),
                                           .samples = options.samples,
                                           .container = ContainerMemory(),
                                           .max_heap = VmFlags(vm_).Number("MaxHeapSize")});
  options.samples_memory.bytes = static_cast<int64_t>(shares.stacks);
  budget_.SetLimit(shares.rest);
  log_->Step(fmt::format("memory limit of the agent: {} KiB, {} of them for stacks of samples",
                         (shares.stacks + shares.rest) / 1024, shares.stacks / 1024));
}

void Session::OnVmStart(JNIEnv* jni) {
  if (counting_ != nullptr) AtBoundary(*log_, "VMStart", [&] { counting_->OnVmStart(jni); });
}

void Session::OnVmInit(JNIEnv* jni) {
  if (counting_ != nullptr) AtBoundary(*log_, "VMInit", [&] { counting_->OnVmInit(jni); });
  if (sampling_ != nullptr) AtBoundary(*log_, "VMInit", [&] { sampling_->Begin(); });
  if (!has_begun()) return;  // it waits for a start
  AtBoundary(*log_, "VMInit", [&] { ReadyTheEnd(jni); });
  AtBoundary(*log_, "VMInit", [&] { StartSnapshots(jni); });
}

void Session::PlanSnapshots() {
  const Options& options = settings_.options;
  // Beside this JVM's own file, so that no other one has it.
  RawPlace place = PlaceRaw(options, settings_.raw_path, files_.own_path());
  why_no_raw_ = std::move(place.why_none);
  if (place.path.empty()) {
    // Who wrote snapshot=0 knows.
    if (options.snapshot.ns != 0)
      log_->Statistics(fmt::format("there is no raw file: {}", why_no_raw_));
    return;
  }
  if (!place.why_partial.empty()) {
    log_->Statistics(
        fmt::format("there is a partial profile instead of a raw file: {}", place.why_partial));
    snapshots_ = MakePartialProfile(std::move(place.path));
  } else {
    snapshots_ = MakeRawFile(std::move(place.path));
  }
}

std::unique_ptr<SurvivingFile> Session::MakePartialProfile(std::string path) {
  return std::make_unique<PartialProfile>(
      PartialSettings{.path = std::move(path),
                      .period = kSnapshotsInPartial * PeriodOf(settings_.options)},
      [this](JNIEnv* jni, const PartialOrder& order) { return WritePartialProfile(jni, order); },
      dump_turn_, *log_);
}

std::unique_ptr<SurvivingFile> Session::MakeRawFile(std::string path) {
  source_ = std::make_unique<SessionSource>(
      settings_.options, target_jdk_, counting_.get(), [this] { return samples_.load(); },
      [this] { return DescribeRun(); });
  return std::make_unique<Snapshots>(
      SnapshotSettings{.path = std::move(path),
                       .period = PeriodOf(settings_.options),
                       .most_bytes = static_cast<uint64_t>(settings_.options.raw_max.bytes),
                       .keeps_file = settings_.options.keep_raw},
      *source_, *log_, budget_);
}

// When something is recorded.
void Session::StartSnapshots(JNIEnv* jni) {
  if (snapshots_ == nullptr) return;
  const Status status = snapshots_->Start(environment_.get(), jni);
  if (!status.ok())
    log_->Warning(fmt::format("there will be no {}: {}",
                              SnapshotsAreProfiles() ? "partial profile" : "raw file",
                              status.message()));
}

void Session::TakeSnapshot(JNIEnv* jni) {
  if (snapshots_ != nullptr) snapshots_->Take(jni);
}

void Session::PlaceRawBeside(const std::string& out) {
  if (snapshots_ == nullptr || !settings_.raw_path.empty()) return;
  snapshots_->SetPlace(SnapshotsAreProfiles() ? PartialPathBeside(out) : RawPathBeside(out));
}

void Session::DiscardRaw(JNIEnv* jni) {
  if (snapshots_ != nullptr) snapshots_->Discard(jni);
}

void Session::KeepRaw(JNIEnv* jni) {
  if (snapshots_ == nullptr) return;
  snapshots_->Keep(jni);
  NameRaw();
}

void Session::NameRaw() {
  if (snapshots_ == nullptr) return;
  const SurvivingFile::Figures raw = snapshots_->figures();
  if (!raw.has_snapshot) return;
  log_->Warning(RawNotice(settings_.options, raw.path));
}

void Session::DiscardUselessRaw() {
  if (snapshots_ != nullptr) snapshots_->DiscardUseless();
}

void Session::StopSampling() {
  if (Sampling* const sampling = samples_.load()) sampling->Stop();
}

void Session::Stop() {
  run_.Pause();  // the profile and the last snapshot end at the same time
  renewal_goes_on_.store(false);
  StopSampling();
  if (snapshots_ != nullptr && !snapshots_->End(kSnapshotPatience))
    log_->Step("the thread for snapshots did not end in time");
  if (counting_ != nullptr) counting_->Stop();
}

std::string Session::Pause(JNIEnv* jni) {
  run_.Pause();
  const std::chrono::milliseconds patience =
      SnapshotsAreProfiles() ? kPartialPatience : kSnapshotPatience;
  if (snapshots_ != nullptr && !snapshots_->Stop(patience))
    log_->Step("the thread for snapshots did not end in time");
  if (!StopRenewal(kRenewalPatience))
    log_->Step("the thread for precise samples did not end in time");
  if (Sampling* const sampling = samples_.load()) sampling->Pause();
  if (!classes_.Release(kReleasePatience))
    log_->Step("the thread for the JVM's end did not end in time");
  if (counting_ == nullptr || !counting_->has_begun()) {
    return settings_.options.Harvests() ? "no more samples are taken; HotSpot goes on counting"
                                        : "no more samples are taken";
  }
  return counting_->Pause(jni).Text();
}

Status Session::Resume(JNIEnv* jni, const std::function<bool()>& is_over) {
  if (!has_begun()) return Begin(jni, is_over);
  if (settings_.options.source == CountSource::kBoth) {
    return {
        Code::kUsage,
        "with source=both a recording cannot go on after a stop: HotSpot has counted meanwhile, "
        "and the probes have not"};
  }
  Status status;
  Sampling* const sampling = samples_.load();
  if (sampling != nullptr) status = FollowCode();  // before the classes' code is thrown away
  if (status.ok() && counting_ != nullptr) status = counting_->Resume(jni);
  if (status.ok() && sampling != nullptr) {
    if (RenewsCode()) sampling->WatchOldCode();
    sampling->Resume(counting_ != nullptr && counting_->SwapsClasses());
  }
  if (!status.ok() && sampling != nullptr) sampling->Pause();
  if (status.ok()) {
    run_.Begin();
    ReadyTheEnd(jni);
    StartRenewal(jni);
    StartSnapshots(jni);
  }
  return status;
}

Status Session::Reset(JNIEnv* jni) {
  if (settings_.options.Harvests()) {
    return {
        Code::kUsage,
        "a reset needs source=counters: HotSpot stops counting what it has compiled, so what it "
        "counted before cannot be told from what ran since"};
  }
  if (counting_ != nullptr) {
    if (Status status = counting_->Reset(jni); !status.ok()) return status;
  }
  if (Sampling* const sampling = samples_.load()) sampling->Reset();
  run_.Reset();
  if (snapshots_ != nullptr) snapshots_->TakeIfBegun(jni);
  log_->Step("what was recorded so far is forgotten");
  return {};
}

Status Session::ResetSamples(JNIEnv* jni) {
  if (Sampling* const sampling = samples_.load()) sampling->Reset();
  if (snapshots_ != nullptr) snapshots_->TakeIfBegun(jni);
  log_->Step("the samples so far are forgotten");
  return {};
}

Session::Figures Session::figures() const {
  Figures figures;
  if (counting_ != nullptr) figures.counting = counting_->figures();
  uint64_t stack_bytes = 0;
  if (Sampling* const sampling = samples_.load()) {
    sampling->ReportMemory();
    figures.sampling = sampling->figures();
    stack_bytes = figures.sampling->stack_bytes;
  }
  if (snapshots_ != nullptr) figures.snapshots = snapshots_->figures();
  {
    const std::lock_guard lock(renewal_mutex_);
    if (renewal_ != nullptr) figures.renewal = renewal_->figures();
  }
  figures.why_no_raw = why_no_raw_;
  figures.heap_bytes = budget_.UsedHeap();
  figures.native_bytes =
      budget_.Used() - std::min(budget_.Used(), figures.heap_bytes) + stack_bytes;
  figures.memory_limit =
      budget_.limit() + static_cast<uint64_t>(settings_.options.samples_memory.bytes);
  return figures;
}

bool Session::Close() {
  bool is_quiet = environment_.StopEvents();
  if (snapshots_ != nullptr) is_quiet = snapshots_->Stop(kSnapshotPatience) && is_quiet;
  is_quiet = classes_.Release(kReleasePatience) && is_quiet;
  is_quiet = StopRenewal(kRenewalPatience) && is_quiet;
  if (sampling_ != nullptr) is_quiet = sampling_->Close() && is_quiet;
  if (hidden_ != nullptr) is_quiet = hidden_->Close() && is_quiet;
  if (counting_ != nullptr) is_quiet = counting_->Close() && is_quiet;
  return unload_watch_.Close() && is_quiet;
}

void Session::EndThreads() {
  // Either this thread sees the pointer, or the starting one sees that the end has come.
  if (Counting* const counting = counts_.load()) counting->EndThreads(kExitPatience);
  // Ends the thread that lists the classes. If it has made the last list, it must stay, and Release refuses.
  static_cast<void>(classes_.Release(kExitPatience));
  renewal_thread_.Retire();
  renewal_thread_.Stop(kExitPatience);
}

void Session::FinishFiles() { files_.Finish(*log_, kMergePatience); }

}  // namespace iprof::vm
