#include "agent/vm/events/locks.h"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "agent/vm/events/park_calls.h"
#include "agent/vm/jvmti/boot_class.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jvmti_error.h"
#include "agent/vm/jvmti/pending_exception.h"

namespace iprof::vm {
namespace {

// How often the agent looks for the owner of a lock.
constexpr std::chrono::milliseconds kLookPeriod{20};
constexpr std::chrono::milliseconds kStopTimeout{2000};

// The recording that hears of parks, and how many threads tell of one now.
std::atomic<Locks*> current{nullptr};
std::atomic<int> inside{0};

int64_t NowNs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

uint64_t Unsigned(int64_t number) { return static_cast<uint64_t>(number); }

}  // namespace

Locks::Locks(JavaVM* vm, Log& log, EventStacks& stacks, std::chrono::nanoseconds threshold,
             SwapGuard* guard)
    : vm_(vm),
      log_(log),
      stacks_(stacks),
      threshold_ns_(threshold.count()),
      guard_(guard),
      owners_(class_, stacks),
      waits_([&stacks] { return stacks.HasRoom(); }),
      thread_(
          [this](jvmtiEnv* jvmti, JNIEnv* jni) {
            AtBoundary(log_, "the thread for locks", [&] { Work(jvmti, jni); });
          },
          kLookPeriod, "iprof-locks") {
  stacks_.Register(*this);
}

Locks::~Locks() {
  Locks* self = this;
  current.compare_exchange_strong(self, nullptr);
  thread_.Stop(kStopTimeout);  // before the members that it uses are destroyed
}

Status Locks::Prepare(StartMoment /*moment*/) {
  if (environment_) return {};
  Result<JvmtiEnvironment> opened = JvmtiEnvironment::Open(vm_);
  if (!opened.ok()) return opened.status();
  jvmtiCapabilities capabilities{};
  capabilities.can_generate_monitor_events = 1;
  capabilities.can_get_monitor_info = 1;
  capabilities.can_get_line_numbers = 1;
  capabilities.can_retransform_classes = 1;
  if (Status status = opened->AddCapabilities(capabilities, "record waits for locks"); !status.ok())
    return status;
  jvmtiEventCallbacks callbacks{};
  callbacks.MonitorContendedEnter = MonitorContendedEnter;
  callbacks.MonitorContendedEntered = MonitorContendedEntered;
  callbacks.ClassFileLoadHook = ClassFileLoadHook;
  if (Status status = opened->SetCallbacks(callbacks, this); !status.ok()) return status;
  environment_ = std::move(*opened);
  return {};
}

void Locks::OnVmInit(JNIEnv* jni) {
  if (const Status status = Start(jni); !status.ok())
    log_.Error(fmt::format("no waits for locks are recorded: {}", status.message()));
}

Status Locks::Begin(JNIEnv* jni) { return Start(jni); }

Status Locks::Start(JNIEnv* jni) {
  if (Status status = class_.FindThreads(jni); !status.ok()) return status;
  waits_.ForgetBegun();
  if (Status status = TimeParks(jni); !status.ok() && !warned_) {
    warned_ = true;
    log_.Warning(
        fmt::format("waits for locks of java.util.concurrent are not recorded, only those for "
                    "monitors: {}",
                    status.message()));
  }
  on_.store(true);
  current.store(this);
  if (Status status = environment_.Enable(
          {JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED});
      !status.ok())
    return status;
  return thread_.Start(environment_.get(), jni);
}

Status Locks::TimeParks(JNIEnv* jni) {
  if (Status status = class_.Find(jni); !status.ok()) return status;
  class_.ClearSlots(jni);
  times_parks_.store(true);
  Status status = environment_.Enable({JVMTI_EVENT_CLASS_FILE_LOAD_HOOK});
  if (status.ok()) {
    has_rewritten_.store(false);
    status = SwapLockSupport(jni);
    is_swapped_ = has_rewritten_.load();
    if (status.ok() && !is_swapped_)
      status = {Code::kUnsupported, "LockSupport has no call of this JDK that parks a thread"};
  }
  if (!status.ok()) {
    times_parks_.store(false);
    environment_.Disable(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
  }
  return status;
}

// Runs the hooks for it, of all agents. Without a guard, nothing of the agent but a Refresher swaps classes, which changes none.
Status Locks::SwapLockSupport(JNIEnv* jni) {
  jclass type = BootClass(jni, kLockSupport);
  if (type == nullptr) return {Code::kUnsupported, "there is no LockSupport"};
  Status status;
  if (guard_ != nullptr) {
    guard_->Note(jni, type);
    if (guard_->Pass(jni, {&type, 1}).empty())
      status = {Code::kUnsupported, "somebody else has redefined it, which a swap would undo"};
  }
  if (status.ok()) {
    const jvmtiError error = environment_->RetransformClasses(1, &type);
    if (error != JVMTI_ERROR_NONE) status = JvmtiFailure("swap LockSupport", error);
    if (guard_ != nullptr)
      guard_->Swapped(jni, {&type, 1}, {&type, static_cast<size_t>(status.ok() ? 0 : 1)});
  }
  jni->DeleteLocalRef(type);
  return status;
}

// The JVM finds the native method of an attached agent only after its attach.
void Locks::Work(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (!on_.load()) return;
  if (times_parks_.load() && class_.Link(jni)) class_.SetThreshold(jni, threshold_ns_);
  if (class_.has_slots()) owners_.Look(jvmti, jni);
}

void Locks::CallOff() {
  on_.store(false);
  if (!environment_) return;
  environment_.Disable(JVMTI_EVENT_MONITOR_CONTENDED_ENTER);
  environment_.Disable(JVMTI_EVENT_MONITOR_CONTENDED_ENTERED);
}

std::string Locks::Pause(JNIEnv* jni) {
  CallOff();
  if (!thread_.Stop(kStopTimeout)) log_.Step("the thread for locks did not end in time");
  class_.SetThreshold(jni, INT64_MAX);
  waits_.ForgetBegun();
  times_parks_.store(false);
  if (is_swapped_) {
    if (const Status status = SwapLockSupport(jni); status.ok())
      is_swapped_ = false;
    else
      log_.Warning(fmt::format("LockSupport keeps the agent's calls: {}", status.message()));
  }
  environment_.Disable(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
  class_.ClearSlots(jni);
  return {};
}

Status Locks::Reset(JNIEnv* /*jni*/, ResetScope scope) {
  if (scope == ResetScope::kAll) waits_.Reset();
  return {};
}

void Locks::EndThreads(std::chrono::milliseconds patience) {
  End();
  thread_.Retire();
  thread_.Stop(patience);
}

bool Locks::Close() {
  Locks* self = this;
  current.compare_exchange_strong(self, nullptr);
  const bool is_quiet = environment_.StopEvents();
  return thread_.Stop(kStopTimeout) && is_quiet && inside.load() == 0;
}

// --- Waits.

void Locks::OnEnter(JNIEnv* jni, jthread thread, jobject monitor) {
  const int64_t id = class_.IdOf(jni, thread);
  class_.Enter(jni, id, monitor);
  waits_.Begin(id, NowNs());
}

void Locks::OnEntered(JNIEnv* jni, jthread thread, jobject monitor) {
  const int64_t id = class_.IdOf(jni, thread);
  const int32_t owner = class_.Leave(jni, id, monitor);
  const std::optional<int64_t> ns = waits_.End(id, NowNs());
  if (!ns) return;
  if (*ns >= threshold_ns_)
    Record(jni, thread, monitor, *ns, owner, false);
  else
    waits_.NoteShorter();
}

void Locks::Waited(JNIEnv* jni, int64_t ns, int32_t owner) {
  inside.fetch_add(1);
  if (Locks* const self = current.load(); self != nullptr && self->on_.load()) {
    AtBoundary(self->log_, "the end of a park", [&] { self->OnParked(jni, ns, owner); });
  }
  inside.fetch_sub(1);
}

void Locks::OnParked(JNIEnv* jni, int64_t ns, int32_t owner) {
  jthread thread = nullptr;
  if (ns < threshold_ns_ || environment_->GetCurrentThread(&thread) != JVMTI_ERROR_NONE ||
      thread == nullptr)
    return;
  if (jobject blocker = class_.BlockerOf(jni, thread); blocker != nullptr) {
    if (class_.IsLock(jni, blocker)) Record(jni, thread, blocker, ns, owner, true);
    jni->DeleteLocalRef(blocker);
  }
  jni->DeleteLocalRef(thread);
}

void Locks::Record(JNIEnv* jni, jthread thread, jobject lock, int64_t ns, int32_t owner,
                   bool is_park) {
  jvmtiEnv* const jvmti = environment_.get();
  const uint32_t stack = stacks_.Stack(jvmti, jni, thread);
  if (stack == EventStacks::kNone) return waits_.NoteDropped();
  jclass type = jni->GetObjectClass(lock);
  waits_.Add({.stack = stack,
              .type = stacks_.Type(jvmti, jni, type),
              .thread = stacks_.Thread(jvmti, jni, thread),
              .owner = static_cast<uint32_t>(owner),
              .is_park = is_park},
             ns);
  jni->DeleteLocalRef(type);
}

// --- What was recorded.

Status Locks::Write(JNIEnv* jni, RecordSink& sink, const IsOver& /*is_over*/) {
  stacks_.Write(jni, sink, *this);
  return {};
}

void Locks::AddTo(JNIEnv* /*jni*/, EventRows& rows) {
  const std::vector<std::pair<WaitTable::Row, WaitTable::Sum>> waits = waits_.Rows();
  const WaitTable::Figures figures = waits_.figures();
  rows.tables.AddFigures(EventTables::WaitFigures{.thresholds = {threshold_ns_},
                                                  .waits = figures.waits,
                                                  .dropped = figures.dropped,
                                                  .shorter = figures.shorter});
  for (const auto& [row, sum] : waits) {
    const std::optional<EventStack> stack = rows.Stack(row.stack);
    if (!stack) continue;
    rows.tables.Add(EventTables::Wait{.stack = *stack,
                                      .type = rows.Type(row.type),
                                      .thread = rows.Thread(row.thread),
                                      .owner = rows.Stack(row.owner).value_or(kNoEventStack),
                                      .is_park = row.is_park,
                                      .ns = sum.ns,
                                      .waits = sum.waits});
  }
}

void Locks::Describe(const ProfileSink& /*made*/, RecorderTexts& texts) {
  const WaitTable::Figures figures = waits_.figures();
  int64_t ns = 0;
  int64_t with_owner = 0;
  for (const auto& [row, sum] : waits_.Rows()) {
    ns += sum.ns;
    if (row.owner != EventStacks::kNone) with_owner += sum.waits;
  }
  texts.summary += fmt::format(
      "waits for locks: {} of at least {} us, {} ms in all; {} with the owner's stack; {} dropped; "
      "{} shorter ones for monitors\n",
      figures.waits, threshold_ns_ / 1'000, ns / 1'000'000, with_owner, figures.dropped,
      figures.shorter);
}

void Locks::AddLosses(RunNote& note) const {
  note.Lose("locks", Unsigned(waits_.figures().dropped));
}

uint64_t Locks::AddTo(control::SessionStatus& status, bool /*is_stopped*/) const {
  const WaitTable::Figures figures = waits_.figures();
  status.lock_waits = Unsigned(figures.waits);
  if (figures.dropped > 0)
    status.losses.push_back({"waits for locks without room", Unsigned(figures.dropped)});
  return thread_.cpu_ns();
}

// --- Called by the JVM.

void JNICALL Locks::MonitorContendedEnter(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread,
                                          jobject monitor) {
  const InCallback<Locks> self(jvmti);
  if (!self || !self->on_.load()) return;
  AtBoundary(self->log_, "MonitorContendedEnter", [&] {
    const PendingException pending(jni);
    self->OnEnter(jni, thread, monitor);
  });
}

void JNICALL Locks::MonitorContendedEntered(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread,
                                            jobject monitor) {
  const InCallback<Locks> self(jvmti);
  if (!self || !self->on_.load()) return;
  AtBoundary(self->log_, "MonitorContendedEntered", [&] {
    const PendingException pending(jni);
    self->OnEntered(jni, thread, monitor);
  });
}

void JNICALL Locks::ClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* /*jni*/, jclass redefined,
                                      jobject loader, const char* name, jobject /*domain*/,
                                      jint size, const unsigned char* bytes, jint* new_size,
                                      unsigned char** new_bytes) {
  if (redefined == nullptr || loader != nullptr || name == nullptr ||
      std::string_view(name) != kLockSupport)
    return;
  const InCallback<Locks> self(jvmti);
  if (!self || !self->times_parks_.load()) return;
  AtBoundary(self->log_, "ClassFileLoadHook", [&] {
    const std::vector<uint8_t> timed = WithTimedParks({bytes, static_cast<size_t>(size)});
    unsigned char* memory = nullptr;
    if (timed.empty() ||
        self->environment_->Allocate(static_cast<jlong>(timed.size()), &memory) != JVMTI_ERROR_NONE)
      return;
    std::copy(timed.begin(), timed.end(), memory);
    *new_size = static_cast<jint>(timed.size());
    *new_bytes = memory;
    self->has_rewritten_.store(true);
  });
}

}  // namespace iprof::vm

// IprofLocks.waited; in exports.map.
extern "C" JNIEXPORT void JNICALL Java_java_lang_IprofLocks_waited(JNIEnv* jni, jclass /*owner*/,
                                                                   jlong ns, jint owner) {
  iprof::vm::Locks::Waited(jni, ns, owner);
}
