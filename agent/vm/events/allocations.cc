#include "agent/vm/events/allocations.h"

#include <fmt/core.h>
#include <time.h>

#include <cmath>
#include <optional>
#include <utility>

#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jvmti_error.h"
#include "agent/vm/jvmti/pending_exception.h"
#include "writer/base/hash.h"

namespace iprof::vm {
namespace {

// HotSpot's own mean distance, which it has until somebody sets another one.
constexpr jint kHotSpotInterval = 512 << 10;

constexpr auto kSweepPeriod = std::chrono::seconds(1);
constexpr auto kPatience = std::chrono::seconds(2);

// The CPU time of one callback in so many is measured.
constexpr uint64_t kTimedOf = 64;

constexpr std::initializer_list<jvmtiEvent> kEvents{JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
                                                    JVMTI_EVENT_GARBAGE_COLLECTION_FINISH};

uint64_t ThreadCpuNs() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// Turns fractions into whole numbers whose sum is right: what was cut off comes with the next one.
class Whole {
 public:
  int64_t Of(double value) {
    value += rest_;
    const double whole = std::floor(value + 0.5);
    rest_ = value - whole;
    return static_cast<int64_t>(whole);
  }

 private:
  double rest_ = 0;
};

}  // namespace

Allocations::Allocations(JavaVM* vm, Log& log, EventStacks& stacks, int64_t interval_bytes,
                         Liveness liveness)
    : vm_(vm),
      log_(log),
      stacks_(stacks),
      interval_bytes_(interval_bytes),
      live_(liveness.most_objects, liveness.pauses),
      thread_(
          [this](jvmtiEnv*, JNIEnv* jni) {
            AtBoundary(log_, "the sweep of objects", [&] {
              if (live_.NeedsSweep()) live_.Sweep(jni);
            });
          },
          kSweepPeriod, "iprof-live") {
  stacks_.Register(*this);
}

Status Allocations::Prepare(StartMoment /*moment*/) {
  const Status status = Take();
  if (!status.ok()) GiveBack();
  return status;
}

// Takes the events and the distance from the JVM. No sample comes before they are enabled.
Status Allocations::Take() {
  if (!environment_) {
    Result<JvmtiEnvironment> opened = JvmtiEnvironment::Open(vm_);
    if (!opened.ok()) return opened.status();
    environment_ = std::move(*opened);
    jvmtiCapabilities capabilities{};
    capabilities.can_generate_garbage_collection_events = 1;
    capabilities.can_get_line_numbers = 1;
    jvmtiEventCallbacks callbacks{};
    callbacks.SampledObjectAlloc = SampledObjectAlloc;
    callbacks.GarbageCollectionFinish = GarbageCollectionFinish;
    Status status = environment_.AddCapabilities(capabilities, "sample allocations");
    if (status.ok()) status = environment_.SetCallbacks(callbacks, this);
    if (!status.ok()) return status;
  }
  jvmtiCapabilities sampling{};
  sampling.can_generate_sampled_object_alloc_events = 1;
  const jvmtiError error = environment_->AddCapabilities(&sampling);
  if (error == JVMTI_ERROR_NOT_AVAILABLE) {
    return {Code::kUnsupported,
            "option 'alloc': another tool samples the allocations of this JVM, which gives them to "
            "one tool at a time: stop that tool, or leave out alloc="};
  }
  if (error != JVMTI_ERROR_NONE)
    return JvmtiFailure("get the JVMTI capability to sample allocations", error);
  has_taken_.store(true);
  if (environment_->SetHeapSamplingInterval(static_cast<jint>(interval_bytes_)) != JVMTI_ERROR_NONE)
    return {Code::kUnsupported, "option 'alloc': the JVM refuses this distance between samples"};
  return {};
}

// What Take took. Other tools can have it from now on.
void Allocations::GiveBack() {
  if (!has_taken_.exchange(false)) return;
  for (const jvmtiEvent event : kEvents) environment_.Disable(event);
  environment_->SetHeapSamplingInterval(kHotSpotInterval);
  jvmtiCapabilities sampling{};
  sampling.can_generate_sampled_object_alloc_events = 1;
  environment_->RelinquishCapabilities(&sampling);
}

void Allocations::OnVmInit(JNIEnv* jni) {
  if (const Status status = Begin(jni); !status.ok())
    log_.Error(fmt::format("no allocations are sampled: {}", status.message()));
}

Status Allocations::Begin(JNIEnv* jni) {
  if (stopping_.load()) return {};
  if (Status status = environment_.Enable(kEvents); !status.ok()) return status;
  takes_samples_.store(!stopping_.load());
  StartThread(jni);
  log_.Step(fmt::format("sampling allocations every {} bytes", interval_bytes_));
  return {};
}

void Allocations::StartThread(JNIEnv* jni) {
  if (const Status status = thread_.Start(environment_.get(), jni); !status.ok())
    log_.Step(fmt::format("the thread for live objects did not start: {}", status.message()));
}

void Allocations::CallOff() {
  takes_samples_.store(false);
  GiveBack();
  thread_.Stop(kPatience);
}

std::string Allocations::Pause(JNIEnv* jni) {
  takes_samples_.store(false);
  GiveBack();
  if (!thread_.Stop(kPatience)) log_.Step("the thread for live objects did not end in time");
  live_.Sweep(jni);
  return {};
}

Status Allocations::Reset(JNIEnv* jni, ResetScope /*scope*/) {
  live_.Forget();
  live_.Sweep(jni);
  const std::lock_guard lock(mutex_);
  // Rows keep their numbers, which threads may have by now.
  for (Row& row : rows_) row = {.key = row.key};
  samples_.store(0);
  dropped_.store(0);
  return {};
}

// The events stay enabled: disabling one waits for virtual threads, which may wait for a collector that has ended.
void Allocations::End() {
  stopping_.store(true);
  takes_samples_.store(false);
}

void Allocations::EndThreads(std::chrono::milliseconds patience) {
  End();
  thread_.Retire();
  thread_.Stop(patience);
}

bool Allocations::Close() {
  takes_samples_.store(false);
  GiveBack();
  const bool has_ended = thread_.Stop(kPatience);
  const bool is_quiet = environment_.StopEvents();
  JNIEnv* jni = nullptr;
  live_.Forget();
  if (has_ended && vm_->GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_10) == JNI_OK)
    live_.Sweep(jni);
  return is_quiet && has_ended;
}

void Allocations::OnSample(JNIEnv* jni, jthread thread, jobject object, jclass type, jlong size) {
  const uint64_t number = samples_.fetch_add(1, std::memory_order_relaxed);
  const bool is_timed = number % kTimedOf == 0;
  const uint64_t begin = is_timed ? ThreadCpuNs() : 0;
  const PendingException pending(jni);
  Note(jni, thread, object, type, size);
  if (is_timed) cpu_ns_.fetch_add((ThreadCpuNs() - begin) * kTimedOf, std::memory_order_relaxed);
}

void Allocations::Note(JNIEnv* jni, jthread thread, jobject object, jclass type, jlong size) {
  jvmtiEnv* const jvmti = environment_.get();
  const Key key{stacks_.Stack(jvmti, jni, thread), stacks_.Type(jvmti, jni, type),
                stacks_.Thread(jvmti, jni, thread)};
  const double share = static_cast<double>(size) / static_cast<double>(interval_bytes_);
  const double objects = -1 / std::expm1(-share);
  const double bytes = static_cast<double>(size) * objects;
  const uint32_t row =
      key.stack == EventStacks::kNone ? EventStacks::kNone : AddToRow(key, bytes, objects);
  if (row == EventStacks::kNone) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
  } else if (live_.Add(jni, object, row, bytes, objects)) {
    thread_.Wake();
  }
}

uint32_t Allocations::AddToRow(const Key& key, double bytes, double objects) {
  const uint64_t hash = MixHash(MixHash(key.stack, key.type), key.thread);
  const auto find = [&] {
    return row_index_.Find(hash, [&](uint32_t other) { return rows_[other].key == key; });
  };
  const auto add = [&](uint32_t number) {
    Row& row = rows_[number];
    row.bytes += bytes;
    row.objects += objects;
    ++row.samples;
    return number;
  };
  {
    const std::lock_guard lock(mutex_);
    if (const uint32_t known = find(); known != HashIndex::kNone) return add(known);
  }
  if (!stacks_.HasRoom()) return EventStacks::kNone;
  const std::lock_guard lock(mutex_);
  if (const uint32_t known = find(); known != HashIndex::kNone) return add(known);
  const auto number = static_cast<uint32_t>(rows_.size());
  rows_.push_back({.key = key});
  row_index_.Insert(hash, number);
  row_bytes_.store(rows_.capacity() * sizeof(Row) + row_index_.MemoryBytes());
  return add(number);
}

// --- What is written.

Status Allocations::Write(JNIEnv* jni, RecordSink& sink, const IsOver& /*is_over*/) {
  if (takes_samples_.load()) sink.NoteGoesOn();
  stacks_.Write(jni, sink, *this);
  return {};
}

void Allocations::AddTo(JNIEnv* jni, EventRows& rows) {
  live_.Sweep(jni);
  std::vector<Row> copy;
  EventTables::AllocationFigures figures{.intervals = {interval_bytes_},
                                         .samples = 0,
                                         .dropped = static_cast<int64_t>(dropped_.load()),
                                         .swept_ms = live_.swept_ms()};
  {
    const std::lock_guard lock(mutex_);
    copy = rows_;
  }
  const std::vector<LiveObjects::Share> live = live_.ByRow(copy.size());
  // Without those that a thread is just adding to a row.
  figures.samples = figures.dropped;
  for (const Row& row : copy) figures.samples += static_cast<int64_t>(row.samples);
  rows.tables.AddFigures(figures);
  Whole bytes;
  Whole objects;
  Whole live_bytes;
  Whole live_objects;
  for (size_t i = 0; i < copy.size(); ++i) {
    const Row& row = copy[i];
    const std::optional<EventStack> stack =
        row.samples == 0 ? std::nullopt : rows.Stack(row.key.stack);
    if (!stack) continue;
    rows.tables.Add(EventTables::Allocation{.stack = *stack,
                                            .type = rows.Type(row.key.type),
                                            .thread = rows.Thread(row.key.thread),
                                            .bytes = bytes.Of(row.bytes),
                                            .objects = objects.Of(row.objects),
                                            .live_bytes = live_bytes.Of(live[i].bytes),
                                            .live_objects = live_objects.Of(live[i].objects),
                                            .samples = static_cast<int64_t>(row.samples),
                                            .live_samples = static_cast<int64_t>(live[i].samples)});
  }
}

void Allocations::Describe(const ProfileSink& /*made*/, RecorderTexts& texts) {
  double bytes = 0;
  size_t rows = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const Row& row : rows_) {
      bytes += row.bytes;
      if (row.samples > 0) ++rows;
    }
  }
  texts.summary += fmt::format("allocations: {} sampled, every {} bytes, for {:.0f} KiB in all\n",
                               samples_.load(), interval_bytes_, bytes / 1024);
  texts.report += fmt::format(
      "allocations: {} rows; {} samples dropped, {} without room for more stacks and rows; live "
      "objects that were not followed: {}; CPU time: {} us\n",
      rows, dropped_.load(), stacks_.without_room(), live_.untracked(),
      (cpu_ns_.load() + thread_.cpu_ns()) / 1000);
}

void Allocations::AddLosses(RunNote& note) const { note.Lose("allocations", dropped_.load()); }

uint64_t Allocations::AddTo(control::SessionStatus& status, bool /*is_stopped*/) const {
  status.allocations = samples_.load();
  if (const uint64_t dropped = dropped_.load(); dropped > 0)
    status.losses.push_back({"sampled allocations for which there was no room", dropped});
  return cpu_ns_.load() + thread_.cpu_ns();
}

uint64_t Allocations::bytes_beyond_budget() const {
  stacks_.ReportMemory();
  return 0;
}

// --- Callbacks.

void JNICALL Allocations::SampledObjectAlloc(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread,
                                             jobject object, jclass type, jlong size) {
  const InCallback<Allocations> self(jvmti);
  if (!self || !self->takes_samples_.load(std::memory_order_relaxed) || size <= 0) return;
  AtBoundary(self->log_, "SampledObjectAlloc",
             [&] { self->OnSample(jni, thread, object, type, size); });
}

// While the collector is still at work: only counts.
void JNICALL Allocations::GarbageCollectionFinish(jvmtiEnv* jvmti) {
  const InCallback<Allocations> self(jvmti);
  if (self) self->live_.NoteCollection();
}

}  // namespace iprof::vm
