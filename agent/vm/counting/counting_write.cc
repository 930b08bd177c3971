// What Counting writes into a sink. See counting.h.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "agent/vm/counting/counting.h"
#include "agent/vm/jvmti/lock_within.h"
#include "writer/base/hash.h"
#include "writer/records/class_record_bytes.h"

namespace iprof::vm {
namespace {

// A harvest takes milliseconds. A profile that is being made takes longer, but then this snapshot may
// be left out.
constexpr auto kPatience = std::chrono::milliseconds(500);

// The agent's thread waits while so many classes are added, which takes a few milliseconds.
constexpr size_t kClassesAtOnce = 256;

// The chunks that are ready for later classes have only zeros.
std::span<const uint64_t> Used(std::span<const uint64_t> counters) {
  while (!counters.empty() && counters.back() == 0) counters = counters.first(counters.size() - 1);
  return counters;
}

using LiveFrame = std::pair<std::string_view, uint64_t>;  // see ProbeCounts

std::vector<LiveFrame> FramesIn(const LiveFrames& live) {
  std::vector<LiveFrame> frames;
  live.ForEach(
      [&](const MethodKey& key, uint64_t count) { frames.emplace_back(key.text(), count); });
  return frames;
}

}  // namespace

void Counting::BeginLog() {
  copy_ = {};
  store_.types().ForgetPairs();
  instrumenter_.table().NoteChanges();
}

void Counting::EndLog() {
  copy_ = {};
  if (const std::unique_lock lock = LockWithin(unload_mutex_, kPatience); lock) {
    store_.types().DropPairs(kPatience);
  } else {
    store_.types().ForgetPairs();
  }
  instrumenter_.table().StopNotingChanges();
}

LogSize Counting::log_size() const {
  constexpr size_t kBytesOfClass = 256;  // its receivers, and that it is in the file
  constexpr uint64_t kFew = 4096;
  const auto known = instrumenter_.classes();
  return {
      .bytes = first_seen_bytes_.load(std::memory_order_relaxed) + copy_.pairs.bytes() +
               copy_.counters.capacity() * sizeof(uint64_t) + store_.types().pairs_bytes(),
      .expected_bytes = store_.copy_bytes() + known.loaded * kBytesOfClass,
      // Most classes are gone, or a third of the pairs of a site and a class.
      .has_outgrown = copy_.added_classes > 2 * (known.loaded + known.unloaded) + kFew ||
                      (copy_.is_whole && copy_.pairs.size() > copy_.pairs.seen() * 3 / 2 + kFew),
      .is_costly = freezer_ != nullptr};
}

void Counting::NoteFirstCalls(std::span<const uint64_t> counters) {
  first_seen_.Note(counters);
  first_seen_bytes_.store(first_seen_.bytes(), std::memory_order_relaxed);
}

Status Counting::Write(JNIEnv* jni, RecordSink& sink, const IsOver& /*is_over*/) {
  return sink.log() != nullptr ? WriteToLog(jni, sink) : WriteAll(jni, sink);
}

Status Counting::WriteToLog(JNIEnv* jni, RecordSink& sink) {
  // Without this wait, classes of the JDK would not be compared before the end. What it does in Java code is counted.
  if (origin_ != nullptr && store_.is_open()) origin_->Settle(kPatience);
  JudgeAgain(*sink.log());
  const std::unique_lock lock = AddChanges(*sink.log());
  if (!lock) return {Code::kLimit, "another profile is being made"};
  EstimatedMethods estimated;
  LiveFrames live;
  ReadForLog(jni, sink, &live, &estimated);
  const bool is_whole = copy_.is_whole || !store_.is_open();
  // Estimates of what was not read would be wrong.
  if (!is_whole && freezer_ != nullptr)
    return {Code::kLimit, "the agent's tables could not be read in time"};
  const std::vector<LiveFrame> live_frames = FramesIn(live);
  if (store_.is_open()) sink.NoteGoesOn();
  if (is_whole && needs_exact_ && needs_exact_(sink)) {
    const TypeCounts types = copy_.pairs.ByType();
    const auto classes = instrumenter_.Classes(copy_.counters, types, Origins());
    sink.SetExact(CountsOf(*classes, live_frames, estimated));
  }
  if (const auto contexts = ReadContexts(kPatience)) sink.SetContexts(*contexts);
  sink.SetProbeCounts({.counters = Used(copy_.counters),
                       .pairs = copy_.pairs.counts(),
                       .live_frames = live_frames,
                       .estimated = std::move(estimated)});
  return {};
}

Status Counting::WriteAll(JNIEnv* jni, RecordSink& sink) {
  const std::unique_lock lock = LockWithin(unload_mutex_, patience());
  EstimatedMethods estimated;
  LiveFrames live;
  const RawCounts counts =
      Read(jni, lock.owns_lock(), /*is_snapshot=*/false, &live, &estimated).counts;
  if (lock.owns_lock()) NoteFirstCalls(counts.counters);
  if (store_.is_open()) sink.NoteGoesOn();
  WarnOfCap();
  // After the counters were read, so that its own work is not counted.
  if (origin_ != nullptr && store_.is_open())
    origin_->Settle(classes_.HasNoneAtTheEnd() ? kHarvestTimeout : kOriginTimeout);
  const auto contexts = ReadContexts(kHarvestTimeout);
  if (contexts) sink.SetContexts(*contexts);
  const auto classes = instrumenter_.Classes(counts.counters, counts.types, Origins());
  const std::vector<LiveFrame> live_frames = FramesIn(live);
  ProbeCounts probed = CountsOf(*classes, live_frames, std::move(estimated));
  if (!lock.owns_lock()) probed.first_seen = {};  // another thread may be changing it
  sink.SetProbeCounts(std::move(probed));
  self_check_ =
      instrumenter_.CheckSelf(counts.counters, [&](const MethodKey& key) { return live.Of(key); });
  return {};
}

ProbeCounts Counting::CountsOf(const instrument::KnownClasses& classes,
                               std::span<const LiveFrame> live_frames,
                               EstimatedMethods estimated) const {
  return {.classes = &classes,
          .types = &classes.types(),
          .counters = classes.counters(),
          .live_frames = live_frames,
          .options = instrumenter_.assembly_options(),
          .estimated = std::move(estimated),
          .first_seen = first_seen_.by_counter()};
}

// Frames that were live when the recording was started, stopped or reset, and those that are.
LiveFrames Counting::LiveNow(JNIEnv* jni, bool is_snapshot) const {
  LiveFrames live = edges_;
  if (!store_.is_open()) {
    live.Add(live_at_close_);
  } else if (!is_snapshot) {
    live.Add(LiveFrames::Collect(classes_, environment_.get(), jni));
  }
  return live;
}

ChunkStore::Reading Counting::Read(JNIEnv* jni, bool is_locked, bool is_snapshot, LiveFrames* live,
                                   EstimatedMethods* estimated) {
  if (!is_locked) {
    if (freezer_ != nullptr) estimated->lost = freezer_->figures().known;
    log_.Error(
        fmt::format("counts of classes that are being unloaded may be missing{}",
                    estimated->lost == 0
                        ? std::string()
                        : fmt::format(", and the estimates of {} methods are", estimated->lost)));
  }
  ChunkStore::Reading reading =
      store_.Read(environment_.get(), jni, is_snapshot ? kPatience : kHarvestTimeout);
  if (!reading.whole && !is_snapshot) {
    log_.Error(
        "many classes of receivers are missing: the agent's thread, "
        "iprof, is suspended");
  }
  // Both soon after the counters were read: the frames first, since estimates may take a second. Without the lock the agent's
  // thread may be in the middle of them.
  *live = LiveNow(jni, is_snapshot);
  if (freezer_ != nullptr && is_locked) {
    estimated->calls = freezer_->AddTo(environment_.get(), jni, reading.counts);
    estimated->unnamed = freezer_->unnamed();
  }
  return reading;
}

uint64_t Counting::MarkOf(JNIEnv* jni) const {
  const std::vector<uint64_t> counters = store_.RawCounters(jni);
  const std::string_view bytes(reinterpret_cast<const char*>(counters.data()),
                               counters.size() * sizeof(uint64_t));
  return HashBytes(bytes, MixHash(instrumenter_.classes().unloaded, window_moves_));
}

// With the lock. The counters of a class that was unloaded must be read after the log was told.
void Counting::ReadForLog(JNIEnv* jni, RecordSink& sink, LiveFrames* live,
                          EstimatedMethods* estimated) {
  RawWriter& log = *sink.log();
  // Before they are read: what is counted during the read makes another mark.
  const std::optional<uint64_t> mark =
      freezer_ == nullptr ? std::nullopt : std::optional(MarkOf(jni));
  if (mark && sink.may_repeat() && copy_.is_whole && copy_.mark == mark) {
    *live = LiveNow(jni, true);
    *estimated = copy_.estimated;
  } else if (freezer_ == nullptr) {
    copy_.is_whole = store_.Read(environment_.get(), jni, kPatience, &copy_.counters, &copy_.pairs);
    *live = LiveNow(jni, true);
  } else {
    ChunkStore::Reading reading = Read(jni, true, true, live, estimated);
    copy_.is_whole = reading.whole;
    copy_.counters = std::move(reading.counts.counters);
    copy_.pairs.BeginReading();
    copy_.pairs.AddAll(reading.counts.types);
    copy_.estimated = *estimated;
    copy_.mark = mark;
  }
  NoteFirstCalls(copy_.counters);
  while (copy_.added_readings < first_seen_.readings())
    log.AddFirst(first_seen_.NewIn(++copy_.added_readings));
  for (; copy_.added_pairs < copy_.pairs.size(); ++copy_.added_pairs) {
    log.AddPair(copy_.added_pairs, copy_.pairs.SiteOf(copy_.added_pairs),
                copy_.pairs.TypeOf(copy_.added_pairs));
  }
}

// Notes in the log which classes are new or gone. Returns the lock of their counters; none if a profile is being made, or
// the agent's thread is suspended.
std::unique_lock<std::timed_mutex> Counting::AddChanges(RawWriter& log) {
  for (;;) {
    std::unique_lock lock = LockWithin(unload_mutex_, kPatience);
    if (!lock) return lock;
    const auto changes = instrumenter_.table().TakeChanges(kClassesAtOnce);
    AddClasses(changes, log);
    if (!changes.has_more) return lock;
    lock.unlock();
    static_cast<void>(log.Flush());  // if it fails, Publish tries again and reports it
  }
}

void Counting::AddClasses(const instrument::ClassTable::Changes& changes, RawWriter& log) {
  if (changes.forgets_unloaded) log.ForgetUnloaded();
  instrument::ClassTable& table = instrumenter_.table();
  for (const auto& added : changes.added) {
    ClassRecord klass;
    UnloadedCounts counts;
    const bool is_unloaded = table.CountsOf(added.id, &counts);
    table.Decode(added.id, 0, 0, &klass);
    AddClass(added.number, klass, log);
    if (is_unloaded) log.AddUnloaded(added.number, counts);
  }
  for (const auto& unloaded : changes.unloaded) {
    if (!unloaded.record.empty()) {
      ClassRecord klass;
      size_t consumed = 0;
      if (DecodeClassRecord(unloaded.record, &klass, &consumed) == SealStatus::kRecord)
        AddClass(unloaded.number, klass, log);
    }
    log.AddUnloaded(unloaded.number, unloaded.counts);
  }
}

void Counting::AddClass(uint32_t number, ClassRecord& klass, RawWriter& log) {
  if (origin_ != nullptr) {
    for (CountedMethod& method : klass.methods) method.origin = origin_->Judge(klass, method);
    if (origin_->MayChange(klass))
      copy_.unjudged.push_back({number, std::string(klass.name), klass.hash});
  }
  log.AddClass(number, klass);
  ++copy_.added_classes;
}

// Adds the classes again that have been compared since they were added.
void Counting::JudgeAgain(RawWriter& log) {
  for (const Copy::Class& one : std::exchange(copy_.unjudged, {})) {
    ClassRecord klass;
    const auto held = instrumenter_.table().Find(one.name, one.hash, &klass);
    if (!held) continue;  // it was unloaded
    AddClass(one.number, klass, log);
    instrumenter_.Release(*held);
  }
}

OriginOf Counting::Origins() const {
  if (origin_ == nullptr) return {};
  return [this](const ClassRecord& klass, const CountedMethod& method) {
    return origin_->Judge(klass, method);
  };
}

}  // namespace iprof::vm
