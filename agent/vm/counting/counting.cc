#include "agent/vm/counting/counting.h"

#include <fmt/core.h>

#include <chrono>
#include <utility>

#include "agent/vm/classes/class_definitions.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/lock_within.h"

namespace iprof::vm {
namespace {

// The part of the budget for counts of unloaded classes.
constexpr uint64_t kUnloadedShare = 8;

constexpr auto kThreadPeriod = std::chrono::milliseconds(250);
constexpr auto kStopTimeout = std::chrono::milliseconds(2000);

// To choose what to freeze takes longer in a large program on a busy machine.
constexpr auto kFreezerTimeout = std::chrono::milliseconds(10000);

// How long a stop, or a thaw of methods, waits for class-file hooks that began before it. Each takes
// milliseconds, but a program that keeps loading classes may always have one.
constexpr auto kHookPatience = std::chrono::milliseconds(200);

// Classes are often loaded in bursts. What rewriting the next one needs is made in less than a millisecond.
constexpr auto kTrimPeriod = std::chrono::seconds(1);

instrument::SiteKinds SitesAskedFor(const Options& options) {
  return {.receivers = options.receivers,
          .monitors = options.monitors,
          .instance_ofs = options.instance_ofs};
}

instrument::InstrumenterOptions ForInstrumenter(const CountingPlan& plan) {
  const Options& options = plan.options;
  instrument::InstrumenterOptions made;
  made.calls = options.calls;
  made.branches = options.branches;
  made.placement = options.placement;
  made.sites = SitesAskedFor(options);
  made.receivers_max_lost = static_cast<double>(options.receivers_max_lost) / 100;
  made.self_check = options.self_check;
  made.stripes = static_cast<uint32_t>(options.stripes);
  made.huge_method_limit = plan.compilers.huge_method_limit;
  made.black_holes = plan.compilers.black_holes;
  made.weights = plan.weights.get();
  made.all_calls = options.Freezes() || options.call_edges;
  made.call_edges = options.call_edges;
  made.lines = options.lines;
  return made;
}

}  // namespace

Counting::Counting(const CountingContext& context, CountingPlan plan,
                   std::unique_ptr<ClassOrigin> origin)
    : vm_(context.vm),
      log_(context.log),
      classes_(context.classes),
      proxies_(context.proxies),
      watch_(context.watch),
      budget_(context.budget),
      swapped_(context.swapped),
      restoring_(context.restoring),
      needs_exact_(context.needs_exact),
      plan_(std::move(plan)),
      filter_(plan_.options.jdk, plan_.options.include, plan_.options.exclude),
      thread_([this](jvmtiEnv*,
                     JNIEnv* jni) { AtBoundary(log_, "the agent's thread", [&] { Work(jni); }); },
              kThreadPeriod),
      store_(plan_.options, plan_.heap, classes_, proxies_, budget_, [this] { thread_.Wake(); }),
      access_(store_.reach()),
      instrumenter_(ForInstrumenter(plan_), store_.counter_space(), store_.CounterHolders(),
                    &budget_),
      held_(watch_, budget_, [this](instrument::ClassId id) { instrumenter_.Release(id); }),
      unlinked_(vm_, log_),
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

Status Counting::Open(JvmtiEnvironment environment) {
  environment_ = std::move(environment);
  guard_.emplace(environment_.get(), plan_.keeps_old_bytes);
  if (plan_.startup.start == CountingStart::kRetransform)
    earlier_ = std::make_unique<EarlierClasses>(vm_, environment_.get(), filter_, *guard_,
                                                plan_.pause, true);
  PrepareFreezing();
  PrepareContexts();
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassLoad = ClassLoad;
  callbacks.ClassFileLoadHook = ClassFileLoadHook;
  callbacks.ClassPrepare = ClassPrepare;
  return environment_.SetCallbacks(callbacks, this);
}

void Counting::PrepareFreezing() {
  const Options& options = plan_.options;
  if (!options.Freezes()) return;
  if (!plan_.restorable) {
    log_.Warning(
        "count-until=, overhead= and mode=budget have no effect: another agent follows iprofagent "
        "on "
        "the command line, so code cannot be swapped; name iprofagent last");
    return;
  }
  freezer_ = std::make_unique<Freezer>(
      Freezer::Parts{vm_, log_, instrumenter_, store_, unload_mutex_},
      FreezeSetting{.until = static_cast<uint64_t>(options.count_until),
                    .overhead = static_cast<double>(options.overhead) / 100,
                    .rearm = std::chrono::nanoseconds(options.rearm.ns),
                    .pause = plan_.pause,
                    .counts_types = store_.counts_types()});
  store_.OnTaken([this](CounterRange range, std::span<const uint64_t> raw,
                        std::span<uint64_t> values) { freezer_->Release(range, raw, values); },
                 [this](uint32_t site, TypeCounts& seen) { freezer_->ReleaseSite(site, seen); });
}

Status Counting::Start() {
  has_begun_.store(true);
  if (!plan_.startup.notice.empty()) log_.Warning(plan_.startup.notice);
  if (plan_.startup.start != CountingStart::kFirstBytecode) {
    const Status status = environment_.Enable({JVMTI_EVENT_CLASS_LOAD});
    if (status.ok()) sees_loads_.store(true, std::memory_order_release);
    return status;
  }
  // Classes that load before JNI is available refer to the first chunk. Its holder is defined at
  // VMStart.
  store_.AnnounceFirst();
  on_.store(true, std::memory_order_release);
  // Not ClassLoad, nor any other event that HotSpot filters by thread, before the main thread has its
  // Thread object: HotSpot would keep data of that thread that nothing connects with the object, and
  // make others later. The first would stay when the thread ends, and HotSpot 21 to 25 would write
  // through it into freed memory when an event is enabled or disabled (JDK-8362203).
  return environment_.Enable({JVMTI_EVENT_CLASS_FILE_LOAD_HOOK});
}

// Before a start swaps classes: the thread does so, too, and a stop does not wait for it for ever.
Status Counting::AwaitThread() {
  const bool is_over = thread_.StopForStart();
  if (has_ended_.load()) return {Code::kUsage, "the program is ending"};
  if (is_over) return {};
  return {Code::kLimit, "the agent's thread has not ended yet: try again later"};
}

Status Counting::Prepare(StartMoment moment) {
  if (moment == StartMoment::kRunning) return {};
  begins_again_ = true;
  return Start();
}

Status Counting::Begin(JNIEnv* jni) {
  if (begins_again_) return BeginAgain(jni);
  const Status status = BeginFirst(jni);
  begins_again_ = status.ok();
  return status;
}

Status Counting::BeginFirst(JNIEnv* jni) {
  if (Status status = AwaitThread(); !status.ok()) return status;
  if (Status status = Start(); !status.ok()) return status;
  unlinked_.Forget();  // what an earlier start left when it failed
  // Until all classes are counted, those that were swapped first would be ahead of the others.
  {
    const std::lock_guard lock(unload_mutex_);
    store_.CloseWindow(environment_.get(), jni, kHarvestTimeout);
  }
  const Status status = BeginLate(jni);
  if (status.ok()) OpenWindow(jni);
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
  if (plan_.startup.start == CountingStart::kFirstBytecode) {
    Status status = environment_.Enable({JVMTI_EVENT_CLASS_LOAD});
    if (status.ok()) sees_loads_.store(true, std::memory_order_release);
    if (status.ok()) status = LearnJvm(jni);
    if (status.ok()) status = thread_.Start(environment_.get(), jni);
    static_cast<void>(NoteStart(status));
  } else {
    static_cast<void>(BeginLate(jni));  // which logs a failure
  }
}

// Learns what exists only once the VM is initialised, and makes the chunks ready.
Status Counting::LearnJvm(JNIEnv* jni) {
  filter_.LearnLoaders(jni);
  watch_.LearnLoaders(jni);
  proxies_.LearnFields(jni);
  if (origin_ != nullptr) {
    if (Status started = origin_->Start(environment_.get(), jni); !started.ok())
      log_.Error(fmt::format("positions cannot be checked: {}", started.message()));
  }
  Status status;
  if (plan_.startup.start != CountingStart::kFirstBytecode) status = store_.DefineEarly(jni, false);
  if (!status.ok()) return status;
  return store_.FinishStart(environment_.get(), jni,
                            [this] { return environment_.Enable({JVMTI_EVENT_CLASS_PREPARE}); });
}

Status Counting::BeginLate(JNIEnv* jni) {
  instrumenter_.NoteOwnCodeRuns();
  Status status = LearnJvm(jni);
  if (status.ok()) status = StartHook(jni);
  // Last, because from here on only the thread creates chunks.
  if (status.ok()) status = thread_.Start(environment_.get(), jni);
  return NoteStart(status);
}

Status Counting::NoteStart(const Status& status) {
  if (status.ok()) return status;
  log_.Error(fmt::format("no more classes are counted: {}", status.message()));
  on_.store(false, std::memory_order_release);
  return status;
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
  NoteSwap({.outcome = earlier_->Start(jni, [&](size_t classes) { return GoesOn(jni, classes); })});
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
  bool swapped = false;
  if (earlier_ != nullptr) {
    swapped = earlier_->Work(jni, [&](size_t classes) { return GoesOn(jni, classes); });
    store_.ExpectClasses(0);
  }
  WarnOfCap();
  if (const auto now = std::chrono::steady_clock::now(); now >= next_trim_) {
    instrumenter_.TrimWorkers();
    next_trim_ = now + kTrimPeriod;
  }
  store_.Harvest(environment_.get(), jni);
  if (freezer_ != nullptr) {
    const bool froze =
        freezer_->Work(environment_.get(), jni, *guard_,
                       {.goes_on = [this] { return IsOn(); },
                        .settle = [this] { environment_.AwaitCallbacks(kHookPatience); }});
    swapped = swapped || froze;
    budget_.Set(instrument::MemoryPart::kFrozen, freezer_->figures().bytes);
  }
  if (FindContexts(jni)) swapped = true;
  if (store_.contexts() != nullptr) store_.contexts()->Work(jni);
  if (swapped && swapped_) swapped_(jni);
  const std::unique_lock lock(unload_mutex_, std::try_to_lock);
  if (!lock) return;  // a profile is being made; try later
  if (!store_.IsUnloadDue(instrumenter_)) return;
  if (freezer_ != nullptr && !freezer_->EndInterval(environment_.get(), jni)) return;
  store_.Unload(environment_.get(), jni, instrumenter_);
}

void Counting::End() {
  has_ended_.store(true);
  on_.store(false, std::memory_order_release);
  thread_.Retire();
  if (!thread_.Stop(kStopTimeout)) log_.Step("the agent's thread did not end in time");
  if (freezer_ != nullptr) freezer_->TellLimit();
}

void Counting::EndThreads(std::chrono::milliseconds patience) {
  has_ended_.store(true);
  on_.store(false, std::memory_order_release);
  thread_.Retire();
  const bool is_over = thread_.Stop(patience);
  const bool looks_up = origin_ != nullptr && !origin_->End(patience);
  if (!unlinked_.End(patience) || looks_up || !is_over)
    log_.Step("a thread of the agent did not end in time");
}

bool Counting::MayHaveProbes(InternalName loaded) const {
  const HiddenNames& names = proxies_.names();
  // A hidden class has a dot in its name. Lambdas that are defined again have the same name in the
  // profile, with or without probes.
  if (loaded.text().find('.') != std::string_view::npos) return names.HasProbes(loaded.text());
  return Knows(names.InternalName(loaded.text()));
}

std::string Counting::Pause(JNIEnv* jni) {
  return has_begun_.load() ? Restore(jni).Text() : std::string();
}

RestoredClasses Counting::Restore(JNIEnv* jni) {
  instrumenter_.NoteOwnCodeRuns();
  on_.store(false, std::memory_order_release);
  CloseWindow(jni);
  // Before the classes are swapped, since the thread swaps classes, too.
  if (!thread_.Stop(AgentThread::kBusyPatience))
    log_.Step("the agent's thread did not end in time");
  RestoredClasses restored;
  if (plan_.restorable) {
    if (!environment_.Enable({JVMTI_EVENT_CLASS_PREPARE}).ok())
      log_.Step("classes that are not linked yet keep their probes");
    restored = ClassRestorer(vm_, environment_.get(), *guard_, plan_.pause)
                   .Run(jni, {.is_counted = [&](InternalName name) { return MayHaveProbes(name); },
                              .not_linked =
                                  [&](jclass klass) {
                                    unlinked_.Await(environment_.get(), jni, klass, *guard_);
                                  },
                              .goes_on = [this] { return !has_ended_.load(); },
                              .settle = [this] { environment_.AwaitCallbacks(kHookPatience); },
                              .restoring = restoring_});
    NoteSwap(restored);
  }
  for (int i = 0; i < 2; ++i) instrumenter_.TrimWorkers();  // all of them
  if (origin_ != nullptr) origin_->Settle(kOriginTimeout);
  if (origin_ != nullptr && !origin_->Stop(kStopTimeout))
    log_.Step("the thread that looks up class files did not end in time");
  environment_.Disable(JVMTI_EVENT_CLASS_LOAD);
  if (unlinked_.awaited() == 0) environment_.Disable(JVMTI_EVENT_CLASS_PREPARE);
  // Object must keep its members whenever it is redefined.
  if (!store_.reach().has_members()) environment_.Disable(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
  return restored;
}

Status Counting::BeginAgain(JNIEnv* jni) {
  if (Status status = AwaitThread(); !status.ok()) return status;
  unlinked_.Forget();
  if (!plan_.restorable) {
    // Loaded classes still count.
    on_.store(true, std::memory_order_release);
  } else if (earlier_ == nullptr) {
    earlier_ = std::make_unique<EarlierClasses>(vm_, environment_.get(), filter_, *guard_,
                                                plan_.pause, false);
  }
  Status status = environment_.Enable({JVMTI_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE});
  if (status.ok() && store_.counts_types()) store_.types().LearnLoaded(environment_.get(), jni);
  if (status.ok() && origin_ != nullptr) status = origin_->Resume(environment_.get(), jni);
  if (status.ok()) status = StartHook(jni);
  if (status.ok()) status = thread_.Start(environment_.get(), jni);
  if (status.ok()) {
    OpenWindow(jni);
  } else {
    on_.store(false, std::memory_order_release);
  }
  return status;
}

std::chrono::milliseconds Counting::patience() const {
  return freezer_ == nullptr ? kHarvestTimeout : kFreezerTimeout;
}

void Counting::CloseWindow(JNIEnv* jni) {
  const std::unique_lock lock = LockWithin(unload_mutex_, patience());
  if (lock && !store_.is_open()) return;  // a start failed before it opened it
  if (!lock || !store_.CloseWindow(environment_.get(), jni, kHarvestTimeout)) {
    log_.Error(
        "the profile may have counts from after the stop: the agent's tables could not be read in "
        "time "
        "(a debugger may have suspended a thread)");
    return;
  }
  ++window_moves_;
  if (freezer_ != nullptr) freezer_->Close(environment_.get(), jni);
  live_at_close_ = LiveFrames::Collect(classes_, environment_.get(), jni);
}

void Counting::OpenWindow(JNIEnv* jni) {
  const std::unique_lock lock = LockWithin(unload_mutex_, patience());
  if (!lock || !store_.OpenWindow(environment_.get(), jni, kHarvestTimeout)) {
    log_.Error(
        "nothing more is recorded: the agent's tables could not be read in time (a debugger may "
        "have "
        "suspended a thread)");
    return;
  }
  ++window_moves_;
  if (freezer_ != nullptr) freezer_->Open(environment_.get(), jni);
  edges_.Add(live_at_close_);
  edges_.Add(LiveFrames::Collect(classes_, environment_.get(), jni));
}

Status Counting::Reset(JNIEnv* jni, ResetScope scope) {
  if (scope != ResetScope::kAll) return {};
  const std::unique_lock lock = LockWithin(unload_mutex_, patience());
  if (!lock || !store_.ResetWindow(environment_.get(), jni, kHarvestTimeout))
    return {Code::kLimit, "the agent's thread, iprof, is suspended"};
  ++window_moves_;
  if (freezer_ != nullptr) freezer_->Reset(environment_.get(), jni);
  instrumenter_.ForgetUnloaded();
  first_seen_ = {};
  first_seen_bytes_ = 0;
  copy_.added_readings = 0;
  // What runs now was entered outside the recording. While the window is closed, nothing of it belongs to the
  // recording; OpenWindow looks again.
  live_at_close_ = {};
  edges_ = store_.is_open() ? LiveFrames::Collect(classes_, environment_.get(), jni) : LiveFrames();
  return {};
}

void Counting::NoteSwap(const RestoredClasses& swap) {
  const std::lock_guard lock(swap_mutex_);
  swap_ = swap;
}

bool Counting::Close() {
  on_.store(false, std::memory_order_release);
  bool quiet = thread_.Stop(kStopTimeout);
  if (origin_ != nullptr) quiet = origin_->Stop(kStopTimeout) && quiet;
  quiet = unlinked_.Wait(kStopTimeout) && quiet;
  quiet = store_.reach().loader_holders().Close() && quiet;
  quiet = ContextStacks::IsQuiet() && quiet;
  if (!store_.reach().has_members()) return environment_.StopEvents() && quiet;
  environment_.Disable(JVMTI_EVENT_CLASS_LOAD);
  environment_.Disable(JVMTI_EVENT_CLASS_PREPARE);
  return false;
}

}  // namespace iprof::vm
