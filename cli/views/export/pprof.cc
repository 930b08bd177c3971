#include "cli/views/export/export_format.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/views/export/protobuf_message.h"
#include "cli/views/export/stacks.h"
#include "writer/ops/summary.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/sampling_sum.h"
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

class PprofWriter {
 public:
  PprofWriter(const Profile& profile, ByteSink& sink)
      : profile_(profile),
        sink_(sink),
        threads_(profile),
        places_(profile),
        time_(SampleTimeOf(profile)) {
    NumberOf("");
  }

  Status Write() {
    has_samples_ = profile_.entry_count(Table::kSamples) > 0;
    // A profile without any value would not be valid.
    has_calls_ = profile_.entry_count(Table::kCalls) > 0 || !has_samples_;
    WriteSampleTypes();
    for (const Table table : {Table::kSamples, Table::kCalls}) {
      for (const EntryIndex entry : EntriesOf(profile_, table)) {
        WriteSample(table, entry);
        if (Status status = FlushIfLarge(); !status.ok()) return status;
      }
    }
    WriteRuns();
    for (size_t place = 0; place < places_.places().size(); ++place) {
      WriteLocation(place);
      if (Status status = FlushIfLarge(); !status.ok()) return status;
    }
    for (const std::string& text : texts_) {
      message_.AlwaysAddText(profile_field::kStringTable, text);
      if (Status status = FlushIfLarge(); !status.ok()) return status;
    }
    return sink_.Write(message_.bytes());
  }

 private:
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
    message_.AddNumber(profile_field::kDefaultSampleType,
                       NumberOf(has_samples_ ? "samples" : "calls"));
    if (has_samples_ && time_) {
      AddValueType(profile_field::kPeriodType, time_->event, "nanoseconds");
      message_.AddNumber(profile_field::kPeriod, time_->interval_ns);
    }
  }

  void WriteSample(Table table, EntryIndex entry) {
    const int64_t count = profile_.EntryCount(table, entry);
    const int64_t samples = table == Table::kSamples ? count : 0;
    values_.clear();
    if (has_samples_) {
      values_.push_back(samples);
      if (time_) values_.push_back(SaturatingMultiply(samples, time_->interval_ns));
    }
    if (has_calls_) values_.push_back(table == Table::kCalls ? count : 0);
    locations_.clear();
    profile_.ForEachFrame(profile_.EntryContext(table, entry), [&](const Frame& frame) {
      locations_.push_back(static_cast<int64_t>(places_.NumberOf(frame)) + 1);
    });
    part_.Clear();
    part_.AddNumbers(sample_field::kLocationId, locations_);
    part_.AddNumbers(sample_field::kValue, values_);
    const MethodIndex thread = threads_.Of(profile_.EntryContext(table, entry));
    if (thread != kNoMethod) {
      ProtobufMessage label;
      label.AddNumber(label_field::kKey, NumberOf("thread"));
      label.AddNumber(label_field::kText, NumberOf(std::string(profile_.MethodName(thread))));
      part_.AddMessage(sample_field::kLabel, label);
    }
    message_.AddMessage(profile_field::kSample, part_);
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

  // A location, and its function if that has none yet.
  void WriteLocation(size_t place) {
    const FramePlace& at = places_.places()[place];
    const auto [function, is_new] = functions_.try_emplace(
        static_cast<uint32_t>(at.method), static_cast<int64_t>(functions_.size()) + 1);
    if (is_new) {
      part_.Clear();
      part_.AddNumber(function_field::kId, function->second);
      part_.AddNumber(function_field::kName, NumberOf(QualifiedName(profile_, at.method)));
      part_.AddNumber(function_field::kSystemName, NumberOf(profile_.DescribeMethod(at.method)));
      message_.AddMessage(profile_field::kFunction, part_);
    }
    ProtobufMessage line;
    line.AddNumber(line_field::kFunctionId, function->second);
    line.AddNumber(line_field::kLine, at.line);
    part_.Clear();
    part_.AddNumber(location_field::kId, static_cast<int64_t>(place) + 1);
    part_.AddNumber(location_field::kMappingId, kMapping);
    part_.AddMessage(location_field::kLine, line);
    message_.AddMessage(profile_field::kLocation, part_);
  }

  const Profile& profile_;
  ByteSink& sink_;
  const ThreadFrames threads_;
  FramePlaces places_;
  const std::optional<SampleTime> time_;
  bool has_samples_ = false;
  bool has_calls_ = false;
  ProtobufMessage message_;  // the Profile, as far as it is not written yet
  ProtobufMessage part_;
  std::vector<int64_t> locations_;
  std::vector<int64_t> values_;
  std::unordered_map<uint32_t, int64_t> functions_;  // ids by method
  std::unordered_map<std::string, size_t> text_numbers_;
  std::vector<std::string> texts_;
};

}  // namespace

Status WritePprof(const Profile& profile, const ExportOptions&, ByteSink& sink) {
  return PprofWriter(profile, sink).Write();
}

}  // namespace iprof
