#include "cli/views/export/export_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/views/export/buffered_text.h"
#include "cli/views/export/stacks.h"
#include "writer/ops/event_samples.h"
#include "writer/ops/summary.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/writer.h"

namespace iprof {
namespace {

// The format identifies itself by this address.
constexpr std::string_view kSchema = "https://www.speedscope.app/file-format-schema.json";

class SpeedscopeWriter {
 public:
  SpeedscopeWriter(const Profile& profile, const ExportOptions& options, ByteSink& sink)
      : profile_(profile), options_(options), out_(sink) {}

  Status Write() {
    const std::optional<SampleTime> time = SampleTimeOf(profile_);
    const bool has_samples = profile_.entry_count(Table::kSamples) > 0;
    const bool has_calls = profile_.entry_count(Table::kCalls) > 0;
    Append("{\"$schema\":");
    AppendText(kSchema);
    Append(",\"exporter\":\"iprof\",\"name\":");
    AppendText(Program());
    Append(",\"activeProfileIndex\":0,\"profiles\":[");
    if (has_samples && !options_.value) {
      const std::string name = time ? time->event + " time" : std::string("samples");
      WriteProfile(profile_, Table::kSamples, name, time ? "nanoseconds" : "none",
                   time ? time->interval_ns : 1);
    }
    if (has_calls && !options_.value) WriteProfile(profile_, Table::kCalls, "calls", "none", 1);
    const EventTables events = EventsOf(profile_);
    for (const EventValueFacts& facts : EventValues()) {
      const bool is_wanted =
          options_.value ? *options_.value == facts.value : HasValue(events, facts.value);
      if (is_wanted)
        WriteProfile(EventsAsSamples(events, facts.value), Table::kSamples, std::string(facts.name),
                     facts.unit == EventUnit::kBytes         ? "bytes"
                     : facts.unit == EventUnit::kNanoseconds ? "nanoseconds"
                                                             : "none",
                     1);
    }
    if (profiles_ == 0) WriteProfile(profile_, Table::kSamples, "samples", "none", 1);
    Append("],\"shared\":{\"frames\":[");
    WriteFrames();
    Append("]}}\n");
    return out_.Finish();
  }

 private:
  void Append(std::string_view text) { out_.buffer() += text; }
  void AppendText(std::string_view text) { AppendJsonString(text, &out_.buffer()); }
  void AppendNumber(int64_t number) {
    fmt::format_to(std::back_inserter(out_.buffer()), "{}", number);
  }

  std::string Program() const {
    const std::vector<RunNote> runs = RunList::Of(profile_).Runs();
    return runs.empty() || runs.front().program.empty() ? "profile" : runs.front().program;
  }

  void WriteProfile(const Profile& profile, Table table, const std::string& name,
                    std::string_view unit, int64_t factor) {
    FramePlaces places(profile);
    std::vector<std::optional<size_t>> numbers;  // by place
    const auto number_of = [&](const Frame& frame) {
      const size_t place = places.NumberOf(frame);
      if (place >= numbers.size()) numbers.resize(place + 1);
      if (!numbers[place]) numbers[place] = NumberOf(profile, places.places()[place]);
      return *numbers[place];
    };
    // By the numbers of their frames, outermost first.
    std::map<std::vector<size_t>, int64_t> stacks;
    int64_t total = 0;
    std::vector<size_t> stack;
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      stack.clear();
      profile.ForEachFrame(profile.EntryContext(table, entry),
                           [&](const Frame& frame) { stack.push_back(number_of(frame)); });
      std::reverse(stack.begin(), stack.end());
      const int64_t weight = SaturatingMultiply(profile.EntryCount(table, entry), factor);
      int64_t& sum = stacks[stack];
      sum = SaturatingAdd(sum, weight);
      total = SaturatingAdd(total, weight);
    }
    if (profiles_++ > 0) Append(",");
    Append("{\"type\":\"sampled\",\"name\":");
    AppendText(name);
    Append(",\"unit\":");
    AppendText(unit);
    Append(",\"startValue\":0,\"endValue\":");
    AppendNumber(total);
    Append(",\"samples\":");
    WriteList(stacks, [&](const auto& each) {
      WriteList(each.first, [&](size_t place) { AppendNumber(static_cast<int64_t>(place)); });
    });
    Append(",\"weights\":");
    WriteList(stacks, [&](const auto& each) { AppendNumber(each.second); });
    Append("}");
  }

  template <typename List, typename WriteOne>
  void WriteList(const List& list, const WriteOne& write_one) {
    char separator = '[';
    for (const auto& each : list) {
      out_.buffer() += separator;
      separator = ',';
      write_one(each);
      if (!out_.Continue()) return;
    }
    Append(separator == '[' ? "[]" : "]");
  }

  // The number of a frame that all profiles of the file share.
  size_t NumberOf(const Profile& profile, const FramePlace& place) {
    const auto [known, is_new] = frame_numbers_.try_emplace(
        {profile.DescribeMethod(place.method), place.line}, frames_.size());
    if (is_new) frames_.push_back({QualifiedName(profile, place.method), place.line});
    return known->second;
  }

  void WriteFrames() {
    bool is_first = true;
    for (const SharedFrame& frame : frames_) {
      Append(is_first ? "{\"name\":" : ",{\"name\":");
      is_first = false;
      AppendText(frame.first);
      if (frame.second > 0) {
        Append(",\"line\":");
        AppendNumber(frame.second);
      }
      Append("}");
      if (!out_.Continue()) return;
    }
  }

  using SharedFrame = std::pair<std::string, int64_t>;  // name and line, or 0

  const Profile& profile_;
  const ExportOptions& options_;
  BufferedText out_;
  size_t profiles_ = 0;
  std::map<SharedFrame, size_t> frame_numbers_;  // with their signatures
  std::vector<SharedFrame> frames_;
};

}  // namespace

Status WriteSpeedscope(const Profile& profile, const ExportOptions& options, ByteSink& sink) {
  return SpeedscopeWriter(profile, options, sink).Write();
}

}  // namespace iprof
