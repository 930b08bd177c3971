#include "cli/views/export/export_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/views/export/buffered_text.h"
#include "cli/views/export/stacks.h"
#include "writer/ops/summary.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/sampling_sum.h"
#include "writer/profile/io/writer.h"

namespace iprof {
namespace {

// The format identifies itself by this address.
constexpr std::string_view kSchema = "https://www.speedscope.app/file-format-schema.json";

class SpeedscopeWriter {
 public:
  SpeedscopeWriter(const Profile& profile, ByteSink& sink)
      : profile_(profile), out_(sink), places_(profile) {}

  Status Write() {
    const std::optional<SampleTime> time = SampleTimeOf(profile_);
    const bool has_samples = profile_.entry_count(Table::kSamples) > 0;
    const bool has_calls = profile_.entry_count(Table::kCalls) > 0;
    Append("{\"$schema\":");
    AppendText(kSchema);
    Append(",\"exporter\":\"iprof\",\"name\":");
    AppendText(Program());
    Append(",\"activeProfileIndex\":0,\"profiles\":[");
    if (has_samples || !has_calls) {
      const std::string name = time ? time->event + " time" : std::string("samples");
      WriteProfile(Table::kSamples, name, time ? "nanoseconds" : "none",
                   time ? time->interval_ns : 1);
    }
    if (has_samples && has_calls) Append(",");
    if (has_calls) WriteProfile(Table::kCalls, "calls", "none", 1);
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

  void WriteProfile(Table table, const std::string& name, std::string_view unit, int64_t factor) {
    // By the numbers of their places, outermost first.
    std::map<std::vector<size_t>, int64_t> stacks;
    int64_t total = 0;
    std::vector<size_t> stack;
    for (const EntryIndex entry : EntriesOf(profile_, table)) {
      stack.clear();
      profile_.ForEachFrame(profile_.EntryContext(table, entry),
                            [&](const Frame& frame) { stack.push_back(places_.NumberOf(frame)); });
      std::reverse(stack.begin(), stack.end());
      const int64_t weight = SaturatingMultiply(profile_.EntryCount(table, entry), factor);
      int64_t& sum = stacks[stack];
      sum = SaturatingAdd(sum, weight);
      total = SaturatingAdd(total, weight);
    }
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

  void WriteFrames() {
    bool is_first = true;
    for (const FramePlace& place : places_.places()) {
      Append(is_first ? "{\"name\":" : ",{\"name\":");
      is_first = false;
      AppendText(QualifiedName(profile_, place.method));
      if (place.line > 0) {
        Append(",\"line\":");
        AppendNumber(place.line);
      }
      Append("}");
      if (!out_.Continue()) return;
    }
  }

  const Profile& profile_;
  BufferedText out_;
  FramePlaces places_;
};

}  // namespace

Status WriteSpeedscope(const Profile& profile, const ExportOptions&, ByteSink& sink) {
  return SpeedscopeWriter(profile, sink).Write();
}

}  // namespace iprof
