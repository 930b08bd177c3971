#include "cli/jfr/recorded_profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "cli/jfr/recording.h"
#include "cli/jfr/settings.h"
#include "cli/jfr/stacks.h"
#include "writer/base/run_id.h"
#include "writer/base/sha1.h"
#include "writer/profile/entry_copier.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/sample_entries.h"

namespace iprof::jfr {
namespace {

constexpr int64_t kDefaultPeriodNs = 20'000'000;  // of JFR's default settings
constexpr size_t kMostText = 4096;                // of what the JVM says of itself
constexpr int64_t kSoonMs = 2000;  // a recording that the JVM starts with begins within this time

// What is wanted of events, by the names of their fields.
enum Slot : uint8_t {
  kStart,
  kDuration,
  kStack,
  kThread,
  kType,
  kWeight,
  kTlabSize,
  kPeriod,
  kFailed,
  kLost,
  kId,
  kName,
  kValue,
  kJvmVersion,
  kJavaArguments,
  kJvmStart,
  kPid,
  kSlots
};
constexpr Layouts::Wanted kWanted[] = {{"startTime", kStart},
                                       {"duration", kDuration},
                                       {"stackTrace", kStack},
                                       {"eventThread", kThread},
                                       {"sampledThread", kThread},
                                       {"objectClass", kType},
                                       {"monitorClass", kType},
                                       {"parkedClass", kType},
                                       {"weight", kWeight},
                                       {"allocationSize", kWeight},
                                       {"tlabSize", kTlabSize},
                                       {"samplingPeriod", kPeriod},
                                       {"failed", kFailed},
                                       {"lostSamples", kLost},
                                       {"id", kId},
                                       {"name", kName},
                                       {"value", kValue},
                                       {"jvmVersion", kJvmVersion},
                                       {"javaArguments", kJavaArguments},
                                       {"jvmStartTime", kJvmStart},
                                       {"pid", kPid}};

enum EventKind : uint8_t {
  kExecutionSample,
  kNativeSample,
  kCpuTimeSample,
  kLostSamples,
  kAllocationSample,
  kInNewTlab,
  kOutsideTlab,
  kMonitorEnter,
  kPark,
  kSetting,
  kJvm,
  kOtherEvent
};
constexpr std::string_view kEventNames[] = {"jdk.ExecutionSample",
                                            "jdk.NativeMethodSample",
                                            "jdk.CPUTimeSample",
                                            "jdk.CPUTimeSamplesLost",
                                            "jdk.ObjectAllocationSample",
                                            "jdk.ObjectAllocationInNewTLAB",
                                            "jdk.ObjectAllocationOutsideTLAB",
                                            "jdk.JavaMonitorEnter",
                                            "jdk.ThreadPark",
                                            "jdk.ActiveSetting",
                                            "jdk.JVMInformation"};

EventKind KindOf(const Layout& type) {
  const auto* const found = std::ranges::find(kEventNames, type.name);
  return static_cast<EventKind>(found - std::begin(kEventNames));
}

// All samples of one event.
struct Samples {
  SampleEntries entries;  // weights in ns
  int64_t events = 0;
  int64_t without_stack = 0;
  int64_t truncated = 0;
  uint64_t ns = 0;
  uint64_t ns_without_stack = 0;
  uint64_t ns_failed = 0;  // of these: JFR could not walk the stack
  int64_t failed = 0;
  std::set<int64_t> periods;
  bool has_default_period = false;
};

uint64_t AddUp(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

class Maker {
 public:
  explicit Maker(const RecordingOrder& order) : order_(order) {
    scratch_.AddStandardTypes();
    result_.profile.AddStandardTypes();
  }

  Status Add(Chunk& chunk) {
    chunk_ = &chunk;
    slots_.clear();
    stacks_.BeginChunk(chunk.constants());
    settings_.BeginChunk();
    const ChunkHeader& header = chunk.header();
    NoteTime(header);
    // A setting may be written behind the samples that it is of.
    const auto is_setting = [](const Layout& type) {
      return KindOf(type) == kSetting || KindOf(type) == kJvm;
    };
    const auto is_other = [&](const Layout& type) {
      return KindOf(type) != kOtherEvent && !is_setting(type);
    };
    const auto take = [this](const Layout& type, FieldReader fields) { Take(type, fields); };
    if (Status status = chunk.ForEachEvent(is_setting, take); !status.ok()) return status;
    return chunk.ForEachEvent(is_other, take);
  }

  RecordedProfile Finish(ChunkSeries series) {
    RecordingFigures& figures = result_.figures;
    figures.chunks = series.read;
    figures.chunks_left_out = series.left_out;
    figures.problems = std::move(series.problems);
    if (unread_events_ > 0) {
      figures.problems.push_back(
          fmt::format("{} events do not have the fields that the metadata says", unread_events_));
    }
    FinishSamples();
    FinishEvents();
    FinishRun();
    return std::move(result_);
  }

 private:
  int64_t Number(Slot slot) const { return values_[slot].is_given() ? values_[slot].number : 0; }

  int64_t TimeNs(Slot slot) const {
    const FieldValue& value = values_[slot];
    if (!value.is_given()) return 0;
    const auto times = [&](int64_t ns) { return SaturatingMultiply(value.number, ns); };
    if (value.number < 0) return 0;
    switch (value.field->unit) {
      case TimeUnit::kTicks:
        return chunk_->header().NsOf(value.number);
      case TimeUnit::kNanoseconds:
        return value.number;
      case TimeUnit::kMicroseconds:
        return times(1'000);
      case TimeUnit::kMilliseconds:
        return times(1'000'000);
      case TimeUnit::kSeconds:
        return times(1'000'000'000);
    }
    return 0;
  }

  void Take(const Layout& type, FieldReader fields) {
    const auto [known, is_new] = slots_.try_emplace(type.id);
    if (is_new) known->second = Layouts::SlotsOf(type, kWanted);
    if (!chunk_->layouts().Read(fields, type, known->second, values_)) {
      ++unread_events_;
      return;
    }
    switch (const EventKind kind = KindOf(type)) {
      case kNativeSample:
        ++native_;
        if (order_.native) TakeSample(execution_, PeriodOf(kind));
        return;
      case kExecutionSample:
        return TakeSample(execution_, PeriodOf(kind));
      case kCpuTimeSample:
        return TakeSample(cpu_time_, TimeNs(kPeriod));
      case kLostSamples:
        lost_ = SaturatingAdd(lost_, std::max<int64_t>(Number(kLost), 0));
        return;
      case kAllocationSample:
        return TakeAllocation(sampled_, Number(kWeight), 1);
      case kInNewTlab:
        // A buffer for each such object: it stands for all that were allocated in the one before.
        return TakeAllocation(in_tlabs_, Number(kTlabSize),
                              Number(kTlabSize) / std::max<int64_t>(Number(kWeight), 1));
      case kOutsideTlab:
        return TakeAllocation(in_tlabs_, Number(kWeight), 1);
      case kMonitorEnter:
        return TakeWait(false);
      case kPark:
        if (stacks_.IsLockPark(Number(kStack), Number(kType))) return TakeWait(true);
        ++result_.figures.waits_for_work;
        return;
      case kSetting:
        return TakeSetting();
      case kJvm:
        return TakeJvm();
      case kOtherEvent:
        return;
    }
  }

  int64_t PeriodOf(EventKind kind) {
    const auto period = settings_.PeriodAt(kEventNames[kind], Number(kStart));
    if (!period) execution_.has_default_period = true;
    return period.value_or(kDefaultPeriodNs);
  }

  void TakeSample(Samples& samples, int64_t period_ns) {
    period_ns = std::max<int64_t>(period_ns, 1);
    const auto ns = static_cast<uint64_t>(period_ns);
    ++samples.events;
    samples.ns = AddUp(samples.ns, ns);
    if (samples.periods.size() < 2) samples.periods.insert(period_ns);
    const Stacks::Found found = stacks_.Context(Number(kStack), Number(kThread));
    if (found.is_truncated) ++samples.truncated;
    if (found.context != kNoContext) return samples.entries.Add(found.context, ns);
    ++samples.without_stack;
    samples.ns_without_stack = AddUp(samples.ns_without_stack, ns);
    if (found.has_stack && Number(kFailed) == 0) return;
    ++samples.failed;
    samples.ns_failed = AddUp(samples.ns_failed, ns);
  }

  using AllocationKey = std::tuple<EventStack, EventType, EventThread>;
  struct Allocations {
    std::map<AllocationKey, EventTables::Allocation> rows;
    int64_t events = 0;
    int64_t dropped = 0;
    int64_t truncated = 0;
  };

  void TakeAllocation(Allocations& into, int64_t bytes, int64_t objects) {
    ++into.events;
    if (bytes < 0) {
      ++into.dropped;
      return;
    }
    const AllocationKey key{stacks_.OfEvents(Number(kStack)), stacks_.TypeOf(Number(kType)),
                            stacks_.ThreadOf(Number(kThread))};
    if (stacks_.IsTruncated(Number(kStack))) ++into.truncated;
    EventTables::Allocation& row = into.rows[key];
    row.bytes = SaturatingAdd(row.bytes, bytes);
    row.objects = SaturatingAdd(row.objects, std::max<int64_t>(objects, 1));
    ++row.samples;
  }

  void TakeWait(bool is_park) {
    ++result_.figures.waits;
    if (stacks_.IsTruncated(Number(kStack))) ++result_.figures.truncated_events;
    events_.Add(EventTables::Wait{.stack = stacks_.OfEvents(Number(kStack)),
                                  .type = stacks_.TypeOf(Number(kType)),
                                  .thread = stacks_.ThreadOf(Number(kThread)),
                                  .is_park = is_park,
                                  .ns = TimeNs(kDuration),
                                  .waits = 1});
  }

  void TakeSetting() {
    const Layout* const event = chunk_->layouts().Find(Number(kId));
    if (event == nullptr || KindOf(*event) == kOtherEvent) return;
    settings_.Add(event->name, TextOf(kName), TextOf(kValue), Number(kStart));
  }

  void TakeJvm() {
    jvm_version_ = TextOf(kJvmVersion).substr(0, kMostText);
    result_.java_command = TextOf(kJavaArguments).substr(0, kMostText);
    jvm_start_ms_ = Number(kJvmStart);
    pid_ = Number(kPid);
  }

  std::string TextOf(Slot slot) { return chunk_->constants().TextOf(values_[slot]); }

  void NoteTime(const ChunkHeader& header) {
    const int64_t start = header.MsAt(header.start_ticks);
    const int64_t ms = std::max<int64_t>(header.duration_ns, 0) / 1'000'000;
    RunNote& run = result_.run;
    if (run.start_ms == 0) {
      run.start_ms = start;
      first_start_ns_ = header.start_ns;
    }
    run.end_ms = std::max(run.end_ms, SaturatingAdd(start, ms));
    run.recorded_ms = SaturatingAdd(run.recorded_ms, ms);
  }

  void FinishSamples();
  std::string SamplingPart(const Samples& taken, int64_t interval_ns) const;
  void FinishEvents();
  void FinishRun();

  const RecordingOrder order_;
  RecordedProfile result_;
  Profile scratch_;  // with the stacks of all samples, also of those that are not taken
  EventTables events_;
  Stacks stacks_{scratch_, events_};
  Settings settings_;
  Samples execution_;  // with those of native code, if they are wanted
  Samples cpu_time_;
  Allocations sampled_;
  Allocations in_tlabs_;
  int64_t native_ = 0;
  int64_t lost_ = 0;
  int64_t unread_events_ = 0;
  std::string jvm_version_;
  int64_t jvm_start_ms_ = 0;
  int64_t pid_ = 0;
  int64_t first_start_ns_ = 0;
  // Of the chunk.
  Chunk* chunk_ = nullptr;
  std::unordered_map<int64_t, Layouts::Slots> slots_;
  std::array<FieldValue, kSlots> values_;
};

void Maker::FinishSamples() {
  RecordingFigures& figures = result_.figures;
  const bool is_cpu_time = cpu_time_.events > 0;
  const Samples& taken = is_cpu_time ? cpu_time_ : execution_;
  figures.event = kEventNames[is_cpu_time ? kCpuTimeSample : kExecutionSample];
  figures.samples = taken.events;
  figures.native = is_cpu_time || !order_.native ? 0 : native_;
  figures.native_left_out = native_ - figures.native;
  figures.other_samples = is_cpu_time ? execution_.events - (order_.native ? native_ : 0) : 0;
  figures.without_stack = taken.without_stack;
  figures.truncated = taken.truncated;
  figures.lost = is_cpu_time ? lost_ : 0;
  figures.interval_is_known = !taken.has_default_period;
  figures.unstable_frames = stacks_.counts().unstable_frames;
  if (taken.events == 0) return;
  const auto events = static_cast<uint64_t>(taken.events);
  const uint64_t mean_ns = taken.ns / events + (taken.ns % events >= events - events / 2 ? 1 : 0);
  figures.interval_ns = taken.periods.size() == 1
                            ? *taken.periods.begin()
                            : static_cast<int64_t>(std::clamp<uint64_t>(mean_ns, 1, INT64_MAX));
  taken.entries.WriteTo(scratch_, WeightScale(1, static_cast<uint64_t>(figures.interval_ns)));
  EntryCopier copier(scratch_, result_.profile);
  for (const EntryIndex entry : EntriesOf(scratch_, Table::kSamples))
    copier.CopyEntry(Table::kSamples, entry);
  SetAgentPart(result_.profile, kSamplingPart, SamplingPart(taken, figures.interval_ns));
  result_.run.Lose("samples", static_cast<uint64_t>(SaturatingAdd(taken.failed, figures.lost)));
}

std::string Maker::SamplingPart(const Samples& taken, int64_t interval_ns) const {
  const auto weight = [&](uint64_t ns) {
    return static_cast<int64_t>(
        std::min<uint64_t>(ns / static_cast<uint64_t>(interval_ns), INT64_MAX));
  };
  const RecordingFigures& figures = result_.figures;
  const StackCounts& counts = stacks_.counts();
  const int64_t good = taken.events - taken.failed;
  JsonBuilder json;
  json.Open('{')
      .Field("event", "cpu")
      .Field("intervalNs", interval_ns)
      .Field("source", "jfr")
      .Field("jfrEvent", figures.native > 0
                             ? figures.event + "+" + std::string(kEventNames[kNativeSample])
                             : figures.event)
      .Field("signals", SaturatingAdd(taken.events, figures.lost))
      .Field("good", good)
      .Field("failed", SaturatingAdd(taken.failed, figures.lost))
      .Field("goodWeight", weight(taken.ns - taken.ns_failed))
      .Field("failedWeight", SaturatingAdd(weight(taken.ns_failed), figures.lost))
      .Field("cutSamples", taken.truncated)
      .Field("distinctStacks", stacks_.distinct())
      .Field("writtenWeight", result_.profile.Total(Table::kSamples))
      .Field("emptyWeight", weight(taken.ns_without_stack - taken.ns_failed))
      .Field("cutContexts", counts.cut_contexts)
      .Field("linkageFrames", counts.linkage_frames)
      .Field("carrierFrames", counts.carrier_frames)
      .Field("unnamedFrames", counts.unnamed_frames)
      .Field("unstableFrames", counts.unstable_frames)
      .Field("endsAtNoCall", counts.ends_at_no_call)
      .Field("endsAtUnknown", counts.ends_at_unknown)
      .Field("unknownLeaves", counts.unknown_leaves);
  json.Key("outcomes").Open('{');
  json.Key("good").Open('[').Int(good).Int(weight(taken.ns - taken.ns_failed)).Close(']');
  if (taken.failed > 0)
    json.Key("no_stack").Open('[').Int(taken.failed).Int(weight(taken.ns_failed)).Close(']');
  if (figures.lost > 0) json.Key("lost").Open('[').Int(figures.lost).Int(figures.lost).Close(']');
  return json.Close('}').Close('}').Take();
}

void Maker::FinishEvents() {
  RecordingFigures& figures = result_.figures;
  const bool is_sampled = sampled_.events > 0 || (in_tlabs_.events == 0 &&
                                                  settings_.WasOn(kEventNames[kAllocationSample]));
  const Allocations& taken = is_sampled ? sampled_ : in_tlabs_;
  figures.allocations = taken.events;
  figures.has_object_sizes = !is_sampled && taken.events > 0;
  figures.truncated_events += taken.truncated;
  for (const auto& [key, sums] : taken.rows) {
    EventTables::Allocation row = sums;
    std::tie(row.stack, row.type, row.thread) = key;
    events_.Add(row);
  }
  const bool has_allocations = taken.events > 0 || is_sampled ||
                               settings_.WasOn(kEventNames[kInNewTlab]) ||
                               settings_.WasOn(kEventNames[kOutsideTlab]);
  if (has_allocations) {
    events_.AddFigures(
        EventTables::AllocationFigures{.samples = taken.events, .dropped = taken.dropped});
  }
  EventTables::WaitFigures waits{.waits = figures.waits};
  for (const EventKind kind : {kMonitorEnter, kPark})
    waits.thresholds.merge(settings_.Thresholds(kEventNames[kind]));
  const bool has_waits = figures.waits > 0 || settings_.WasOn(kEventNames[kMonitorEnter]) ||
                         settings_.WasOn(kEventNames[kPark]);
  if (has_waits) events_.AddFigures(waits);
  SetEvents(result_.profile, events_);
  RunNote& run = result_.run;
  run.tables = figures.samples > 0 ? "samples" : "";
  const auto add = [&](bool is_there, std::string_view table) {
    if (is_there) run.tables.append(run.tables.empty() ? "" : "+").append(table);
  };
  add(has_allocations, "allocations");
  add(has_waits, "locks");
}

// "OpenJDK 64-Bit Server VM (17.0.15+6-Debian-1deb12u1) for linux-amd64 JRE (…), built on …"
void Maker::FinishRun() {
  RunNote& run = result_.run;
  // All dumps of one recording begin with the same chunk, as long as JFR has not dropped it.
  const Sha1Digest digest =
      Sha1(fmt::format("{} {} {} {}", jvm_version_, jvm_start_ms_, pid_, first_start_ns_));
  FieldReader halves(digest, /*compressed=*/false);
  RunId id;
  id.high = halves.Fixed(8);
  id.low = halves.Fixed(8);
  run.run = id.Text();
  const size_t open = jvm_version_.find('(');
  const size_t close = jvm_version_.find(')', open);
  if (open != std::string::npos && close != std::string::npos)
    run.jvm_build = jvm_version_.substr(open + 1, close - open - 1);
  run.jvm_version = run.jvm_build.substr(0, run.jvm_build.find_first_of("+-"));
  if (jvm_version_.find("-amd64 ") != std::string::npos) run.architecture = "x86_64";
  if (jvm_version_.find("-aarch64 ") != std::string::npos) run.architecture = "aarch64";
  run.source = kJfrSource;
  const bool is_from_start = jvm_start_ms_ > 0 && run.start_ms - jvm_start_ms_ < kSoonMs;
  run.begin = is_from_start ? kBeginAtStart : kBeginLater;
}

}  // namespace

Result<RecordedProfile> ReadRecording(RecordingFile& file, const RecordingOrder& order) {
  Maker maker(order);
  Result<ChunkSeries> series = ForEachChunk(file, [&](Chunk& chunk) { return maker.Add(chunk); });
  if (!series.ok()) return series.status();
  return maker.Finish(std::move(*series));
}

}  // namespace iprof::jfr
