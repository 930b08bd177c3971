#include "cli/views/export/export_format.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/views/export/protobuf_message.h"
#include "cli/views/export/stacks.h"
#include "writer/names/java_names.h"
#include "writer/ops/event_samples.h"
#include "writer/ops/summary.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

// Field numbers of pprof's profile.proto.
namespace profile_field {
constexpr uint32_t kSampleType = 1;
constexpr uint32_t kSample = 2;
constexpr uint32_t kMapping = 3;
constexpr uint32_t kLocation = 4;
constexpr uint32_t kFunction = 5;
constexpr uint32_t kStringTable = 6;
constexpr uint32_t kTimeNanos = 9;
constexpr uint32_t kDurationNanos = 10;
constexpr uint32_t kPeriodType = 11;
constexpr uint32_t kPeriod = 12;
constexpr uint32_t kDefaultSampleType = 14;
}  // namespace profile_field
namespace value_type_field {
constexpr uint32_t kType = 1;
constexpr uint32_t kUnit = 2;
}  // namespace value_type_field
namespace sample_field {
constexpr uint32_t kLocationId = 1;
constexpr uint32_t kValue = 2;
constexpr uint32_t kLabel = 3;
}  // namespace sample_field
namespace label_field {
constexpr uint32_t kKey = 1;
constexpr uint32_t kText = 2;
}  // namespace label_field
namespace mapping_field {
constexpr uint32_t kId = 1;
constexpr uint32_t kFilename = 5;
constexpr uint32_t kHasFunctions = 7;
constexpr uint32_t kHasLineNumbers = 9;
}  // namespace mapping_field
namespace location_field {
constexpr uint32_t kId = 1;
constexpr uint32_t kMappingId = 2;
constexpr uint32_t kLine = 4;
}  // namespace location_field
namespace line_field {
constexpr uint32_t kFunctionId = 1;
constexpr uint32_t kLine = 2;
}  // namespace line_field
namespace function_field {
constexpr uint32_t kId = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kSystemName = 3;
}  // namespace function_field

constexpr int64_t kMapping = 1;  // the only one: the program
constexpr size_t kFlushAt = 1 << 16;
constexpr int64_t kNsPerMs = 1'000'000;

// What pprof's own programs call a value of events, and its unit.
struct GoValue {
  EventValue value;
  std::string_view type;
  std::string_view unit;
};
constexpr GoValue kGoValues[] = {
    {EventValue::kAllocObjects, "alloc_objects", "count"},
    {EventValue::kAllocBytes, "alloc_space", "bytes"},
    {EventValue::kLiveObjects, "inuse_objects", "count"},
    {EventValue::kLiveBytes, "inuse_space", "bytes"},
    {EventValue::kLockCount, "contentions", "count"},
    {EventValue::kLockTime, "delay", "nanoseconds"},
};

class PprofWriter {
 public:
  PprofWriter(const Profile& profile, const ExportOptions& options, ByteSink& sink)
      : profile_(profile),
        options_(options),
        sink_(sink),
        events_(EventsOf(profile)),
        time_(SampleTimeOf(profile)) {
    NumberOf("");
  }

  Status Write() {
    for (const GoValue& value : kGoValues) {
      if (HasValue(events_, value.value)) go_values_.push_back(value);
    }
    has_samples_ = profile_.entry_count(Table::kSamples) > 0;
    // A profile without any value would not be valid.
    has_calls_ = profile_.entry_count(Table::kCalls) > 0 || (!has_samples_ && go_values_.empty());
    WriteSampleTypes();
    if (Status status = WriteTables(); !status.ok()) return status;
    if (Status status = WriteEvents(); !status.ok()) return status;
    WriteRuns();
    for (size_t location = 0; location < locations_.size(); ++location) {
      WriteLocation(location);
      if (Status status = FlushIfLarge(); !status.ok()) return status;
    }
    for (const std::string& text : texts_) {
      message_.AlwaysAddText(profile_field::kStringTable, text);
      if (Status status = FlushIfLarge(); !status.ok()) return status;
    }
    return sink_.Write(message_.bytes());
  }

 private:
  // Where stacks come from: the profile's tables, or its events.
  struct Source {
    explicit Source(const Profile& from) : profile(from), places(from) {}
    const Profile& profile;
    FramePlaces places;
    std::vector<int64_t> locations = {};  // ids by place; 0: none yet
  };

  // The number of a text in the string table.
  int64_t NumberOf(const std::string& text) {
    const auto [at, is_new] = text_numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return static_cast<int64_t>(at->second);
  }

  Status FlushIfLarge() {
    if (message_.bytes().size() < kFlushAt) return {};
    Status status = sink_.Write(message_.bytes());
    message_.Clear();
    return status;
  }

  void AddValueType(uint32_t field, const std::string& type, const std::string& unit) {
    part_.Clear();
    part_.AddNumber(value_type_field::kType, NumberOf(type));
    part_.AddNumber(value_type_field::kUnit, NumberOf(unit));
    message_.AddMessage(field, part_);
  }

  void WriteSampleTypes() {
    if (has_samples_) {
      AddValueType(profile_field::kSampleType, "samples", "count");
      if (time_) AddValueType(profile_field::kSampleType, time_->event, "nanoseconds");
    }
    if (has_calls_) AddValueType(profile_field::kSampleType, "calls", "count");
    for (const GoValue& value : go_values_)
      AddValueType(profile_field::kSampleType, std::string(value.type), std::string(value.unit));
    message_.AddNumber(profile_field::kDefaultSampleType, NumberOf(DefaultType()));
    if (has_samples_ && time_) {
      AddValueType(profile_field::kPeriodType, time_->event, "nanoseconds");
      message_.AddNumber(profile_field::kPeriod, time_->interval_ns);
    }
  }

  std::string DefaultType() const {
    if (!options_.value && has_samples_) return "samples";
    if (!options_.value && has_calls_) return "calls";
    const EventValue wanted = options_.value.value_or(
        events_.allocation_figures() ? EventValue::kAllocBytes : EventValue::kLockTime);
    return std::string(std::ranges::find(kGoValues, wanted, &GoValue::value)->type);
  }

  Status WriteTables() {
    Source source(profile_);
    for (const Table table : {Table::kSamples, Table::kCalls}) {
      for (const EntryIndex entry : EntriesOf(profile_, table)) {
        WriteSample(source, table, entry);
        if (Status status = FlushIfLarge(); !status.ok()) return status;
      }
    }
    return {};
  }

  // One sample for each row.
  Status WriteEvents() {
    Profile profile;
    EventContexts contexts(events_, profile, ClassFrames::kNone);
    Source source(profile);
    const auto write = [&](const auto& row) {
      values_.assign(ValuesOfTables(), 0);
      for (const GoValue& value : go_values_) values_.push_back(ValueOf(row, value.value));
      BeginSample(source, contexts.Of(row.stack, row.type, row.thread));
      if (row.type != kNoEventType) AddLabel("class", JavaTypeName(events_.NameOf(row.type)));
      message_.AddMessage(profile_field::kSample, part_);
      return FlushIfLarge();
    };
    for (const EventTables::Allocation& row : events_.allocations()) {
      if (Status status = write(row); !status.ok()) return status;
    }
    for (const EventTables::Wait& row : events_.waits()) {
      if (Status status = write(row); !status.ok()) return status;
    }
    return {};
  }

  size_t ValuesOfTables() const {
    return (has_samples_ ? (time_ ? 2U : 1U) : 0U) + (has_calls_ ? 1U : 0U);
  }

  void WriteSample(Source& source, Table table, EntryIndex entry) {
    const int64_t count = profile_.EntryCount(table, entry);
    const int64_t samples = table == Table::kSamples ? count : 0;
    values_.clear();
    if (has_samples_) {
      values_.push_back(samples);
      if (time_) values_.push_back(SaturatingMultiply(samples, time_->interval_ns));
    }
    if (has_calls_) values_.push_back(table == Table::kCalls ? count : 0);
    values_.resize(values_.size() + go_values_.size());
    BeginSample(source, profile_.EntryContext(table, entry));
    message_.AddMessage(profile_field::kSample, part_);
  }

  // The sample so far, with values_ and its thread, in part_.
  void BeginSample(Source& source, ContextIndex context) {
    stack_.clear();
    const Profile& profile = source.profile;
    profile.ForEachFrame(context, [&](const Frame& frame) {
      const size_t place = source.places.NumberOf(frame);
      if (place >= source.locations.size()) source.locations.resize(place + 1, 0);
      int64_t& location = source.locations[place];
      if (location == 0) location = NewLocation(profile, source.places.places()[place]);
      stack_.push_back(location);
    });
    part_.Clear();
    part_.AddNumbers(sample_field::kLocationId, stack_);
    part_.AddNumbers(sample_field::kValue, values_);
    const MethodIndex thread = ThreadFrames(profile).Of(context);
    if (thread != kNoMethod) AddLabel("thread", std::string(profile.MethodName(thread)));
  }

  void AddLabel(const std::string& key, const std::string& text) {
    ProtobufMessage label;
    label.AddNumber(label_field::kKey, NumberOf(key));
    label.AddNumber(label_field::kText, NumberOf(text));
    part_.AddMessage(sample_field::kLabel, label);
  }

  void WriteRuns() {
    int64_t start_ms = 0;
    int64_t recorded_ms = 0;
    std::string program;
    for (const RunNote& run : RunList::Of(profile_).Runs()) {
      if (run.start_ms != 0 && (start_ms == 0 || run.start_ms < start_ms)) start_ms = run.start_ms;
      recorded_ms = SaturatingAdd(recorded_ms, std::max<int64_t>(run.recorded_ms, 0));
      if (program.empty()) program = run.program;
    }
    message_.AddNumber(profile_field::kTimeNanos, SaturatingMultiply(start_ms, kNsPerMs));
    message_.AddNumber(profile_field::kDurationNanos, SaturatingMultiply(recorded_ms, kNsPerMs));
    // Says that there is nothing left to symbolize.
    part_.Clear();
    part_.AddNumber(mapping_field::kId, kMapping);
    part_.AddNumber(mapping_field::kFilename, NumberOf(program));
    part_.AddNumber(mapping_field::kHasFunctions, 1);
    part_.AddNumber(mapping_field::kHasLineNumbers, 1);
    message_.AddMessage(profile_field::kMapping, part_);
  }

  // The id of a location; also of its function, which is written if it has none yet.
  int64_t NewLocation(const Profile& profile, const FramePlace& at) {
    const std::string signature = profile.DescribeMethod(at.method);
    const auto [function, is_new] =
        functions_.try_emplace(signature, static_cast<int64_t>(functions_.size()) + 1);
    if (is_new) {
      part_.Clear();
      part_.AddNumber(function_field::kId, function->second);
      part_.AddNumber(function_field::kName, NumberOf(QualifiedName(profile, at.method)));
      part_.AddNumber(function_field::kSystemName, NumberOf(signature));
      message_.AddMessage(profile_field::kFunction, part_);
    }
    locations_.push_back({function->second, at.line});
    return static_cast<int64_t>(locations_.size());
  }

  void WriteLocation(size_t location) {
    ProtobufMessage line;
    line.AddNumber(line_field::kFunctionId, locations_[location].function);
    line.AddNumber(line_field::kLine, locations_[location].line);
    part_.Clear();
    part_.AddNumber(location_field::kId, static_cast<int64_t>(location) + 1);
    part_.AddNumber(location_field::kMappingId, kMapping);
    part_.AddMessage(location_field::kLine, line);
    message_.AddMessage(profile_field::kLocation, part_);
  }

  const Profile& profile_;
  const ExportOptions& options_;
  ByteSink& sink_;
  const EventTables events_;
  std::vector<GoValue> go_values_;  // that the profile has
  const std::optional<SampleTime> time_;
  bool has_samples_ = false;
  bool has_calls_ = false;
  ProtobufMessage message_;  // the Profile, as far as it is not written yet
  ProtobufMessage part_;
  std::vector<int64_t> stack_;  // ids of locations
  std::vector<int64_t> values_;
  struct Location {
    int64_t function;
    int64_t line;
  };
  std::vector<Location> locations_;                     // ids are one more than their numbers
  std::unordered_map<std::string, int64_t> functions_;  // ids by signature
  std::unordered_map<std::string, size_t> text_numbers_;
  std::vector<std::string> texts_;
};

}  // namespace

Status WritePprof(const Profile& profile, const ExportOptions& options, ByteSink& sink) {
  return PprofWriter(profile, options, sink).Write();
}

}  // namespace iprof
