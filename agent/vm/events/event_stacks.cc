#include "agent/vm/events/event_stacks.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "agent/vm/jvmti/jvmti_memory.h"
#include "writer/base/hash.h"
#include "writer/names/type_names.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/event_part.h"

namespace iprof::vm {
namespace {

// Of what can be learnt again. A node of a map takes about this many bytes.
constexpr size_t kMostRawFrames = 1 << 16;
constexpr size_t kMostRawStacks = 1 << 15;
constexpr size_t kNodeBytes = 64;

// A log gets a new part when so many times the CPU time has passed that making the last one took: half a percent.
constexpr uint64_t kRests = 200;

uint64_t Now(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

template <typename... Numbers>
uint64_t HashOf(Numbers... numbers) {
  uint64_t hash = ProcessHashSeed();
  ((hash = MixHash(hash, static_cast<uint64_t>(numbers))), ...);
  return hash;
}

template <typename Frame>
Hash128 HashOfBytes(std::span<const Frame> frames) {
  static_assert(std::has_unique_object_representations_v<Frame>);
  return Murmur3({reinterpret_cast<const uint8_t*>(frames.data()), frames.size_bytes()});
}

// "a.B$$Lambda/0x0000000800c03000" without the number, or "[La.B$$Lambda/0x0000000800c03000;"; "" if it has none.
std::string WithoutHiddenNumber(std::string_view class_name) {
  const size_t slash = class_name.find('/');
  if (slash == std::string_view::npos) return {};
  return ToUtf8(class_name.substr(0, slash)) + (class_name.starts_with('[') ? ";" : "");
}

// Hidden classes and proxies are not: another one may have the same signature, after the first was unloaded or in another loader.
bool IsNamedBySignature(std::string_view signature) {
  return signature.find('.') == std::string_view::npos &&
         signature.find("$Proxy") == std::string_view::npos;
}

}  // namespace

size_t EventStacks::RawFrameHash::operator()(const RawFrame& frame) const {
  return HashOf(reinterpret_cast<uintptr_t>(frame.method), frame.at, frame.length);
}

EventStacks::EventStacks(TypeNaming naming, ToClassFile to_class_file, bool with_lines,
                         instrument::MemoryBudget& budget, size_t most_bytes)
    : naming_(std::move(naming)),
      to_class_file_(std::move(to_class_file)),
      with_lines_(with_lines),
      budget_(budget),
      most_bytes_(most_bytes),
      texts_(ProcessHashSeed()) {}

// The caches of the processor know little of what is read here, as the program does not use it. So what is read for each event
// is kept small and close together: a stack that is known costs two lines of memory, beside what the JVM reads.
//
// By the thread object: without it, HotSpot would wait for all virtual threads that are being mounted.
uint32_t EventStacks::Stack(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  std::array<jvmtiFrameInfo, kMostFrames> given;
  jint count = 0;
  if (jvmti->GetStackTrace(thread, 0, static_cast<jint>(given.size()), given.data(), &count) !=
      JVMTI_ERROR_NONE)
    return kNone;
  const std::span<const jvmtiFrameInfo> bare(given.data(), static_cast<size_t>(count));
  std::vector<RawFrame> frames;
  const auto copy = [&] {
    frames.reserve(bare.size());
    for (const jvmtiFrameInfo& frame : bare) frames.push_back({frame.method, frame.location, 0});
  };
  if (to_class_file_) {
    copy();
    AddLengths(jvmti, frames);
  }
  const Hash128 hash = to_class_file_ ? HashOfBytes<RawFrame>(frames) : HashOfBytes(bare);
  {
    const std::lock_guard lock(mutex_);
    if (const uint32_t known = FindStack(hash); known != kNone) return known;
  }
  if (!to_class_file_) copy();
  std::vector<RawFrame> unknown;
  {
    const std::lock_guard lock(mutex_);
    if (raw_frames_.size() >= kMostRawFrames) raw_frames_.clear();
    if (!HasRoomLocked()) return kNone;
    if (const uint32_t number = AddStack(hash, frames, unknown); number != kNone) return number;
  }
  std::vector<Learnt> learnt;
  for (const RawFrame& frame : unknown) learnt.push_back(Learn(jvmti, jni, frame));

  const std::lock_guard lock(mutex_);
  for (const Learnt& one : learnt) raw_frames_.insert_or_assign(one.frame, Intern(one));
  return AddStack(hash, frames, unknown);  // kNone: another thread has just made room
}

// Code that is rewritten has another length, and other positions.
void EventStacks::AddLengths(jvmtiEnv* jvmti, std::span<RawFrame> frames) {
  for (RawFrame& frame : frames) {
    jlocation start = 0;
    jlocation end = -1;
    if (frame.at >= 0 && jvmti->GetMethodLocation(frame.method, &start, &end) == JVMTI_ERROR_NONE)
      frame.length = static_cast<uint64_t>(end + 1);
  }
}

uint32_t EventStacks::FindStack(const Hash128& hash) const {
  const uint32_t at = raw_stack_index_.Find(
      hash.low, [&](uint32_t other) { return raw_stacks_[other].hash == hash; });
  return at == HashIndex::kNone ? kNone : raw_stacks_[at].number;
}

uint32_t EventStacks::AddStack(const Hash128& hash, std::span<const RawFrame> frames,
                               std::vector<RawFrame>& unknown) {
  unknown.clear();
  std::vector<uint32_t> places;
  bool is_over = false;
  for (const RawFrame& frame : frames) {
    const auto known = raw_frames_.find(frame);
    if (known == raw_frames_.end()) {
      unknown.push_back(frame);
      continue;
    }
    is_over = is_over || known->second.kind == FrameKind::kContinuation;
    if (is_over) continue;
    // What a probe calls counts for the method that has the probe.
    if (known->second.kind == FrameKind::kProbe) places.clear();
    if (known->second.kind == FrameKind::kOrdinary) places.push_back(known->second.place);
  }
  if (!unknown.empty()) return kNone;
  if (places.empty()) places.push_back(Intern(NoJavaCode()).place);
  const uint32_t number = InternStack(places);
  if (FindStack(hash) != kNone) return number;  // added by another thread
  if (raw_stacks_.size() >= kMostRawStacks) {
    raw_stacks_.clear();
    raw_stack_index_ = {};
  }
  raw_stacks_.push_back({hash, number});
  raw_stack_index_.Insert(hash.low, static_cast<uint32_t>(raw_stacks_.size() - 1));
  return number;
}

EventStacks::Learnt EventStacks::NoJavaCode() {
  return {{nullptr, -1, 0},
          {.kind = FrameKind::kOrdinary,
           .class_descriptor = {},
           .type = "(no Java code)",
           .name = "native",
           .descriptor = "()V"},
          kUnknown};
}

EventStacks::Learnt EventStacks::Learn(jvmtiEnv* jvmti, JNIEnv* jni, const RawFrame& frame) const {
  Learnt learnt{frame, {}, kUnknown};
  jclass klass = nullptr;
  if (jvmti->GetMethodDeclaringClass(frame.method, &klass) != JVMTI_ERROR_NONE) return learnt;
  if (auto method = LearnFrameMethod(jvmti, jni, frame.method, klass, naming_))
    learnt.method = std::move(*method);
  jni->DeleteLocalRef(klass);
  if (learnt.method.kind == FrameKind::kOrdinary) learnt.line = LineAt(jvmti, frame);
  return learnt;
}

// The line of the last entry that begins at the position or before it.
int32_t EventStacks::LineAt(jvmtiEnv* jvmti, const RawFrame& frame) const {
  jint count = 0;
  JvmtiMemory<jvmtiLineNumberEntry> entries(jvmti);
  if (!with_lines_ || frame.at < 0 ||
      jvmti->GetLineNumberTable(frame.method, &count, entries.address()) != JVMTI_ERROR_NONE)
    return kUnknown;
  jlocation best = -1;
  int32_t line = kUnknown;
  for (jint i = 0; i < count; ++i) {
    const jvmtiLineNumberEntry& entry = entries[i];
    if (entry.start_location > frame.at || entry.start_location < best) continue;
    best = entry.start_location;
    line = entry.line_number;
  }
  return line;
}

EventStacks::Known EventStacks::Intern(const Learnt& learnt) {
  if (learnt.method.kind != FrameKind::kOrdinary) return {learnt.method.kind, 0};
  const Method method{texts_.Intern(learnt.method.class_descriptor),
                      texts_.Intern(learnt.method.type), texts_.Intern(learnt.method.name),
                      texts_.Intern(learnt.method.descriptor)};
  const uint64_t hash =
      HashOf(method.class_descriptor, method.type, method.name, method.descriptor);
  uint32_t number =
      method_index_.Find(hash, [&](uint32_t other) { return methods_[other] == method; });
  if (number == HashIndex::kNone) {
    number = static_cast<uint32_t>(methods_.size());
    methods_.push_back(method);
    method_index_.Insert(hash, number);
  }
  const RawFrame& frame = learnt.frame;
  Place place{.method = number,
              .running = frame.at < 0 ? 0 : static_cast<int32_t>(frame.at),
              .code = frame.length == 0 ? CodeStamp()
                                        : CodeStamp::Of(static_cast<uint32_t>(frame.length), true),
              .line = learnt.line,
              .original = kUnknown};
  // Each method begins at 0.
  if (!to_class_file_ || place.running == 0) place.original = place.running;
  return {FrameKind::kOrdinary, InternPlace(place)};
}

uint32_t EventStacks::InternPlace(const Place& place) {
  const uint64_t hash = HashOf(place.method, place.running, place.code.bits(), place.line);
  const uint32_t known =
      place_index_.Find(hash, [&](uint32_t other) { return places_[other].IsSameAs(place); });
  if (known != HashIndex::kNone) return known;
  const auto number = static_cast<uint32_t>(places_.size());
  places_.push_back(place);
  place_index_.Insert(hash, number);
  return number;
}

uint32_t EventStacks::InternStack(std::span<const uint32_t> places) {
  const uint64_t hash = HashBytes(
      {reinterpret_cast<const char*>(places.data()), places.size_bytes()}, ProcessHashSeed());
  const uint32_t known = stack_index_.Find(hash, [&](uint32_t other) {
    return std::ranges::equal(std::span(stacks_[other].places, stacks_[other].depth), places);
  });
  if (known != HashIndex::kNone) return known;
  uint32_t* const copy = stack_places_.Allocate(places.size());
  std::ranges::copy(places, copy);
  const auto number = static_cast<uint32_t>(stacks_.size());
  stacks_.push_back({copy, static_cast<uint32_t>(places.size())});
  stack_index_.Insert(hash, number);
  return number;
}

uint32_t EventStacks::Type(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) {
  JvmtiString signature(jvmti);
  if (jvmti->GetClassSignature(type, signature.address(), nullptr) != JVMTI_ERROR_NONE)
    return kNone;
  const bool is_stable = IsNamedBySignature(ViewOf(signature));
  const uint64_t hash = HashBytes(ViewOf(signature), ProcessHashSeed());
  const auto find = [&] {
    return type_index_.Find(hash, [&](uint32_t other) {
      return texts_.View(types_[other].signature) == ViewOf(signature);
    });
  };
  if (is_stable) {
    const std::lock_guard lock(mutex_);
    if (const uint32_t known = find(); known != HashIndex::kNone) return types_[known].name;
  }
  std::optional<std::string> name = naming_(jvmti, jni, type, ViewOf(signature));
  if (!name) {
    name = WithoutHiddenNumber(TypeNameOf(Descriptor(ViewOf(signature))).value_or(""));
    if (name->empty()) return kNone;
  }
  const std::lock_guard lock(mutex_);
  if (!HasRoomLocked()) {
    const uint32_t known = texts_.Find(*name);
    return known == HashIndex::kNone ? kNone : known;
  }
  const uint32_t number = texts_.Intern(*name);
  if (is_stable && find() == HashIndex::kNone) {
    types_.push_back({texts_.Intern(ViewOf(signature)), number});
    type_index_.Insert(hash, static_cast<uint32_t>(types_.size() - 1));
  }
  return number;
}

uint32_t EventStacks::Thread(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  jvmtiThreadInfo info{};
  if (jvmti->GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE) return kNone;
  JvmtiString name(jvmti);
  *name.address() = info.name;
  if (info.thread_group != nullptr) jni->DeleteLocalRef(info.thread_group);
  if (info.context_class_loader != nullptr) jni->DeleteLocalRef(info.context_class_loader);
  return thread_names_.Number(ViewOf(name));
}

bool EventStacks::HasRoom() {
  const std::lock_guard lock(mutex_);
  return HasRoomLocked();
}

bool EventStacks::HasRoomLocked() {
  const size_t bytes = BytesLocked();
  budget_.Set(instrument::MemoryPart::kEvents, bytes);
  if (bytes < most_bytes_ && budget_.Left() > 0) return true;
  without_room_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

size_t EventStacks::BytesLocked() const {
  size_t bytes = texts_.MemoryBytes() + methods_.MemoryBytes() + method_index_.MemoryBytes() +
                 places_.MemoryBytes() + place_index_.MemoryBytes() + stack_places_.MemoryBytes() +
                 stacks_.MemoryBytes() + stack_index_.MemoryBytes() +
                 raw_frames_.size() * kNodeBytes + raw_stacks_.capacity() * sizeof(RawStack) +
                 raw_stack_index_.MemoryBytes() + types_.capacity() * sizeof(SignedType) +
                 type_index_.MemoryBytes() + thread_names_.bytes() + last_in_log_.capacity();
  for (const Source* source : sources_) bytes += source->row_bytes();
  return bytes;
}

size_t EventStacks::bytes() {
  const std::lock_guard lock(mutex_);
  return BytesLocked();
}

void EventStacks::ReportMemory() { budget_.Set(instrument::MemoryPart::kEvents, bytes()); }

// --- The part.

void EventStacks::Write(JNIEnv* jni, RecordSink& sink, const Source& caller) {
  if (&caller != sources_.back()) return;
  const uint64_t now_ns = Now(CLOCK_MONOTONIC);
  const uint64_t begin_ns = Now(CLOCK_THREAD_CPUTIME_ID);
  if (sink.log() != nullptr && sink.may_repeat() && now_ns < next_ns_) {
    sink.SetPart(kEventsPart, last_in_log_);
    return;
  }
  EventRows rows(*this);
  for (Source* source : sources_) source->AddTo(jni, rows);
  std::string json = EventsToJson(rows.tables);
  sink.SetPart(kEventsPart, json);
  if (sink.log() != nullptr) {
    next_ns_ = now_ns + kRests * (Now(CLOCK_THREAD_CPUTIME_ID) - begin_ns);
    const std::lock_guard lock(mutex_);
    last_in_log_ = std::move(json);
  }
  ReportMemory();
}

size_t EventStacks::ResolveFrom(size_t first) {
  std::vector<size_t> asked;
  std::vector<Position> positions;
  size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    count = places_.size();
    for (size_t i = first; i < count; ++i) {
      const Place& place = places_[i];
      if (place.original != kUnknown) continue;
      const Method& method = methods_[place.method];
      asked.push_back(i);
      positions.push_back({texts_.View(method.class_descriptor), texts_.View(method.name),
                           texts_.View(method.descriptor), place.running, place.code});
    }
  }
  if (asked.empty()) return count;
  to_class_file_(positions);
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < asked.size(); ++i)
    if (positions[i].original) places_[asked[i]].original = *positions[i].original;
  return count;
}

std::vector<EventStacks::NamedFrame> EventStacks::FramesOf(uint32_t stack, size_t* unknown_end) {
  const std::lock_guard lock(mutex_);
  std::vector<NamedFrame> frames;
  for (const uint32_t at : std::span(stacks_[stack].places, stacks_[stack].depth)) {
    const Place& place = places_[at];
    const Method& method = methods_[place.method];
    if (place.original == kUnknown) *unknown_end = std::max<size_t>(*unknown_end, at + 1);
    frames.push_back({place.method, texts_.View(method.type), texts_.View(method.name),
                      texts_.View(method.descriptor), std::max(place.original, 0), place.line});
  }
  return frames;
}

std::optional<EventStack> EventRows::Stack(uint32_t number) {
  if (number == EventStacks::kNone) return std::nullopt;
  if (const auto known = known_stacks_.find(number); known != known_stacks_.end())
    return known->second;
  size_t unknown_end = 0;
  std::vector<EventStacks::NamedFrame> named = stacks_.FramesOf(number, &unknown_end);
  if (unknown_end > resolved_) {
    resolved_ = stacks_.ResolveFrom(resolved_);
    named = stacks_.FramesOf(number, &unknown_end);
  }
  std::vector<EventFrame> frames;
  for (const EventStacks::NamedFrame& frame : named) {
    const auto [method, is_new] = known_methods_.try_emplace(frame.number);
    if (is_new) method->second = tables.AddMethod(frame.type, frame.name, frame.descriptor);
    frames.push_back({method->second, frame.bci, frame.line});
  }
  const EventStack stack = tables.AddStack(frames);
  known_stacks_.emplace(number, stack);
  return stack;
}

EventType EventRows::Type(uint32_t number) {
  if (number == EventStacks::kNone) return kNoEventType;
  std::string_view name;
  {
    const std::lock_guard lock(stacks_.mutex_);
    name = stacks_.texts_.View(number);
  }
  return tables.AddType(name);
}

EventThread EventRows::Thread(uint32_t number) {
  if (number == EventStacks::kNone) return kNoEventThread;
  return tables.AddThread(stacks_.thread_names_.NameOf(number));
}

}  // namespace iprof::vm
