#include "agent/vm/counting/counting.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "agent/vm/counting/class_definitions.h"
#include "agent/vm/counting/live_frames.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/lock_within.h"

namespace iprof::vm {
namespace {

// The part of the budget for counts of unloaded classes.
constexpr uint64_t kUnloadedShare = 8;

// How long a dump waits for a harvest, which takes milliseconds, and for class files to be looked
// up.
constexpr auto kHarvestTimeout = std::chrono::milliseconds(3000);
constexpr auto kOriginTimeout = std::chrono::milliseconds(20000);

constexpr auto kThreadPeriod = std::chrono::milliseconds(250);
constexpr auto kStopTimeout = std::chrono::milliseconds(2000);

instrument::SiteKinds SitesAskedFor(const Options& options) {
  return {.receivers = options.receivers,
          .monitors = options.monitors,
          .instance_ofs = options.instance_ofs};
}

instrument::InstrumenterOptions ForInstrumenter(const Options& options,
                                                const CompilerSettings& compilers) {
  instrument::InstrumenterOptions made;
  made.calls = options.calls;
  made.branches = options.branches;
  made.placement = options.placement;
  made.sites = SitesAskedFor(options);
  made.receivers_max_lost = static_cast<double>(options.receivers_max_lost) / 100;
  made.self_check = options.self_check;
  made.stripes = static_cast<uint32_t>(options.stripes);
  made.huge_method_limit = compilers.huge_method_limit;
  made.black_holes = compilers.black_holes;
  return made;
}

}  // namespace

Counting::Counting(const CountingContext& context, CountingPlan plan,
                   std::unique_ptr<ClassOrigin> origin)
    : vm_(context.vm),
      log_(context.log),
      proxies_(context.proxies),
      watch_(context.watch),
      budget_(context.budget),
      plan_(std::move(plan)),
      filter_(plan_.options.jdk, plan_.options.include, plan_.options.exclude),
      thread_([this](jvmtiEnv*,
                     JNIEnv* jni) { AtBoundary(log_, "the agent's thread", [&] { Work(jni); }); },
              kThreadPeriod),
      store_(plan_, proxies_, budget_, [this] { thread_.Wake(); }),
      access_(store_.reach()),
      instrumenter_(ForInstrumenter(plan_.options, plan_.compilers), store_.counter_space(),
                    store_.CounterHolders(), &budget_),
      held_(watch_, budget_, [this](instrument::ClassId id) { instrumenter_.Release(id); }),
      origin_(std::move(origin)) {
  store_.GiveSites(instrumenter_);
  instrumenter_.LimitUnloaded(budget_.limit() / kUnloadedShare);
  store_.ShareBudget();
  if (origin_ != nullptr) {
    instrumenter_.OnForgotten(
        [this](std::string_view name, const Hash128& hash) { origin_->Drop(name, hash); });
  }
  ClassDefinitions::SetFailed([this](instrument::ClassId id) { instrumenter_.Release(id); });
}

Counting::~Counting() {
  ClassDefinitions::SetFailed({});
  thread_.Stop(kStopTimeout);  // before the members that it uses are destroyed
}

Status Counting::Start() {
  Result<JvmtiEnvironment> opened = JvmtiEnvironment::Open(vm_);
  if (!opened.ok()) return opened.status();
  environment_ = std::move(*opened);
  if (plan_.startup.start == CountingStart::kRetransform)
    earlier_ = std::make_unique<EarlierClasses>(vm_, environment_.get(), filter_);
  if (Status status = Register(); !status.ok()) return status;
  if (!plan_.startup.notice.empty()) log_.Warning(plan_.startup.notice);
  if (plan_.attached) {
    // VMInit has passed, so this thread may run Java code.
    JNIEnv* jni = nullptr;
    if (vm_->GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_10) == JNI_OK)
      AtBoundary(log_, "the start of counting", [&] { OnVmInit(jni); });
  }
  return {};
}

Status Counting::Register() {
  const CountingStart start = plan_.startup.start;
  jvmtiCapabilities capabilities{};
  capabilities.can_generate_all_class_hook_events = 1;
  if (start == CountingStart::kFirstBytecode) {
    capabilities.can_generate_early_class_hook_events = 1;
    capabilities.can_generate_early_vmstart = 1;
  } else if (start == CountingStart::kRetransform) {
    capabilities.can_retransform_classes = 1;
    capabilities.can_retransform_any_class = 1;
    capabilities.can_tag_objects = 1;
  }
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassLoad = ClassLoad;
  callbacks.ClassFileLoadHook = ClassFileLoadHook;
  callbacks.ClassPrepare = ClassPrepare;
  Status status = environment_.AddCapabilities(capabilities, "instrument classes");
  if (status.ok()) status = environment_.SetCallbacks(callbacks, this);
  if (start == CountingStart::kFirstBytecode) {
    // Classes that load before JNI is available refer to the first chunk. Its holder is defined at
    // VMStart.
    store_.AnnounceFirst();
    on_.store(true, std::memory_order_release);
  }
  if (status.ok()) status = environment_.Enable({JVMTI_EVENT_CLASS_LOAD});
  if (status.ok() && start == CountingStart::kFirstBytecode)
    status = environment_.Enable({JVMTI_EVENT_CLASS_FILE_LOAD_HOOK});
  return status;
}

void Counting::OnVmStart(JNIEnv* jni) {
  if (Status status = store_.DefineEarly(jni, true); !status.ok()) {
    // Classes that are already loaded refer to the holder, so the JVM could not run any of their
    // methods.
    log_.Error(status.message());
    on_.store(false, std::memory_order_release);
  }
}

void Counting::OnVmInit(JNIEnv* jni) {
  const bool is_late = plan_.startup.start != CountingStart::kFirstBytecode;
  filter_.LearnLoaders(jni);
  watch_.LearnLoaders(jni);
  proxies_.LearnFields(jni);
  if (origin_ != nullptr) {
    if (Status started = origin_->Start(environment_.get(), jni); !started.ok())
      log_.Error(fmt::format("positions cannot be checked: {}", started.message()));
  }
  Status status;
  if (is_late) status = store_.DefineEarly(jni, false);
  if (status.ok()) {
    status = store_.FinishStart(environment_.get(), jni, [this] {
      return environment_.Enable({JVMTI_EVENT_CLASS_PREPARE});
    });
  }
  if (status.ok() && is_late) status = StartHook(jni);
  // Last, because from here on only the thread creates chunks.
  if (status.ok()) status = thread_.Start(environment_.get(), jni);
  if (!status.ok()) {
    log_.Error(fmt::format("no more classes are counted: {}", status.message()));
    on_.store(false, std::memory_order_release);
  }
}

Status Counting::StartHook(JNIEnv* jni) {
  on_.store(true, std::memory_order_release);
  Status status = environment_.Enable({JVMTI_EVENT_CLASS_FILE_LOAD_HOOK});
  if (status.ok() && earlier_ != nullptr) CountEarlier(jni);
  return status;
}

void Counting::CountEarlier(JNIEnv* jni) {
  if (!environment_.Enable({JVMTI_EVENT_CLASS_PREPARE}).ok())
    log_.Step("classes that are not linked yet stay uncounted");
  earlier_->Start(jni, [&](size_t classes) { return GoesOn(jni, classes); });
  store_.ExpectClasses(0);
}

// Called before a batch of classes is retransformed: makes room for their counters. Returns false
// if counting ends.
bool Counting::GoesOn(JNIEnv* jni, size_t classes) {
  store_.ExpectClasses(static_cast<uint32_t>(classes));
  store_.DefineAhead(jni, log_);
  return IsOn();
}

// Warns once that the program needs more than memory=.
void Counting::WarnOfCap() {
  if (store_.refusals() + budget_.refusals() == 0 || cap_told_.exchange(true)) return;
  log_.Warning(
      "the memory limit (memory=) is reached: classes that are loaded from now on are not counted, "
      "or without their receivers; set a larger memory=; verbose=1 prints how much is missing");
}

void Counting::Work(JNIEnv* jni) {
  watch_.Process(jni);
  store_.DefineAhead(jni, log_);
  if (earlier_ != nullptr) {
    earlier_->Work(jni, [&](size_t classes) { return GoesOn(jni, classes); });
    store_.ExpectClasses(0);
  }
  WarnOfCap();
  store_.Harvest(environment_.get(), jni);
  const std::unique_lock lock(unload_mutex_, std::try_to_lock);
  if (!lock) return;  // a profile is being made; try later
  store_.Unload(environment_.get(), jni, instrumenter_);
}

void Counting::Stop() {
  on_.store(false, std::memory_order_release);
  if (!thread_.Stop(kStopTimeout)) log_.Step("the agent's thread did not end in time");
}

bool Counting::Close() {
  on_.store(false, std::memory_order_release);
  bool quiet = thread_.Stop(kStopTimeout);
  if (origin_ != nullptr) quiet = origin_->Stop(kStopTimeout) && quiet;
  quiet = store_.reach().loader_holders().Close() && quiet;
  if (!store_.reach().has_members()) return environment_.StopEvents() && quiet;
  environment_.Disable(JVMTI_EVENT_CLASS_LOAD);
  environment_.Disable(JVMTI_EVENT_CLASS_PREPARE);
  return false;
}

CountedProfile Counting::AddTo(JNIEnv* jni, Profile& profile) {
  const std::unique_lock lock = LockWithin(unload_mutex_, kHarvestTimeout);
  if (!lock) log_.Error("counts of classes that are being unloaded may be missing");
  const std::vector<uint64_t> counters = store_.Read(jni);
  const TypeChunks::Collected types = store_.Collect(environment_.get(), jni, kHarvestTimeout);
  if (!types.whole) {
    log_.Error(
        "many classes of receivers are missing: the agent's thread, "
        "iprof, is suspended");
  }
  const LiveFrames live = LiveFrames::Collect(environment_.get(), jni);
  WarnOfCap();
  // After the counters were read, so that its own work is not counted.
  if (origin_ != nullptr) origin_->Settle(kOriginTimeout);
  instrument::AddedCounts added = instrumenter_.AddTo(
      counters, types.counts, [&](const MethodKey& key) { return live.Of(key); }, profile,
      Origins());
  return {std::move(added), {instrumenter_, proxies_.names(), Origins()}};
}

OriginOf Counting::Origins() const {
  if (origin_ == nullptr) return {};
  return [this](const ClassRecord& klass, const CountedMethod& method) {
    return origin_->Judge(klass, method);
  };
}

std::optional<Bci> ClassFilePositions::OriginalBci(std::string_view class_descriptor,
                                                   std::string_view name,
                                                   std::string_view descriptor, Bci running) const {
  const Descriptor owner(class_descriptor);
  if (running <= 0 || !owner.IsClass()) return running;
  const std::string counted = names_.InternalName(owner.ClassName().text());
  const std::optional<uint32_t> original = instrumenter_.OriginalBci(
      counted, name, descriptor, static_cast<uint32_t>(running), origin_of_);
  if (!original) return std::nullopt;
  return static_cast<Bci>(*original);
}

std::string Counting::Report(const CountedProfile& counted) const {
  std::string report = instrumenter_.Report(counted.added) + store_.Report() + access_.Report();
  if (origin_ != nullptr) report += origin_->Report();
  if (earlier_ != nullptr) report += earlier_->Report();
  return report;
}

}  // namespace iprof::vm
