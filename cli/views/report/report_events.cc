#include "cli/views/report/report_events.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cli/views/report/flame_tree.h"
#include "writer/names/jdk_classes.h"
#include "writer/ops/event_samples.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

constexpr size_t kMostRows = 50;  // classes, threads

std::string_view NameOf(EventUnit unit) {
  return unit == EventUnit::kBytes         ? "bytes"
         : unit == EventUnit::kNanoseconds ? "nanoseconds"
                                           : "count";
}

class EventWriting {
 public:
  EventWriting(const EventTables& events, JsonBuilder& json) : events_(events), json_(json) {}

  void Run(size_t most_frames) {
    std::vector<EventValueFacts> values;
    for (const EventValueFacts& facts : EventValues()) {
      if (HasValue(events_, facts.value)) values.push_back(facts);
    }
    JsonBuilder rows(JsonBuilder::For::kPage);
    rows.Open('[');
    for (const EventValueFacts& facts : values)
      WriteValue(facts, most_frames / values.size(), rows);
    rows.Close(']');
    json_.Open('{').Key("methods").Open('[');
    for (const MethodIndex method : methods_) WriteMethod(method);
    json_.Close(']').Key("values").Raw(rows.text()).Close('}');
  }

 private:
  // Without its thread, which has a list of its own.
  FlameTree TreeOf(EventValue value) {
    FlameTree tree;
    EventContexts contexts(events_, names_, ClassFrames::kInnermost);
    const auto add = [&](const auto& row) {
      const int64_t weight = ValueOf(row, value);
      if (weight > 0)
        tree.Add(0, names_.Frames(contexts.Of(row.stack, row.type, kNoEventThread)), weight);
    };
    for (const EventTables::Allocation& row : events_.allocations()) add(row);
    for (const EventTables::Wait& row : events_.waits()) add(row);
    return tree;
  }

  void WriteValue(const EventValueFacts& facts, size_t most_frames, JsonBuilder& json) {
    const FlameTree tree = TreeOf(facts.value);
    const Profile samples = SampleCountsOf(events_, facts.value);
    json.Open('{').Field("value", facts.name).Field("unit", NameOf(facts.unit));
    json.Field("says", facts.says).Field("sum", SumOf(events_, facts.value));
    if (!facts.name.starts_with("lock")) json.Field("samples", samples.Total(Table::kSamples));
    WriteFlame(tree, most_frames, json);
    const Profile values = EventsAsSamples(events_, facts.value);
    WriteSums("classes", SumsByClass(values), SumsByClass(samples), json);
    WriteSums("threads", ThreadsOf(values), ThreadsOf(samples), json);
    json.Close('}');
  }

  void WriteFlame(const FlameTree& tree, size_t most_frames, JsonBuilder& json) {
    int64_t drawn = 0;
    int64_t undrawn = 0;
    json.Key("flame").Open('[');
    for (const FlameFrame& frame : tree.Cut(most_frames, names_)) {
      frame.method == kNoMethod ? undrawn = SaturatingAdd(undrawn, frame.weight[0]) : ++drawn;
      json.Int(frame.depth).Int(NumberOf(frame.method)).Int(frame.weight[0]);
      const int32_t line = frame.method == kNoMethod
                               ? 0
                               : names_.notes().LineOf(frame.method, frame.bci).value_or(0);
      // A class has no positions.
      const bool has_place = frame.method == kNoMethod || !NamesNoMethod(names_, frame.method);
      json.Int(line > 0 ? line : int64_t{-1} - frame.bci);
      json.Int(has_place ? frame.weight_at_bci[0] : 0).Int(frame.frames);
    }
    json.Close(']').Field("frames", drawn);
    json.Field("all_frames", static_cast<int64_t>(tree.frame_count()));
    json.Key("undrawn").Share(LargestShare({undrawn}, tree.total()));
  }

  template <typename Sums>
  static void WriteSums(const std::string& key, const Sums& sums, const Sums& samples,
                        JsonBuilder& json) {
    std::map<std::string_view, int64_t> counts;
    for (const auto& each : samples) counts[each.name] = each.weight;
    json.Key(key).Open('[');
    for (size_t i = 0; i < std::min(sums.size(), kMostRows); ++i)
      json.String(sums[i].name).Int(sums[i].weight).Int(counts[sums[i].name]);
    json.Close(']').Field("all_" + key, static_cast<int64_t>(sums.size()));
  }

  int64_t NumberOf(MethodIndex method) {
    if (method == kNoMethod) return -1;
    const auto [known, is_new] =
        numbers_.try_emplace(method, static_cast<int64_t>(methods_.size()));
    if (is_new) methods_.push_back(method);
    return known->second;
  }

  void WriteMethod(MethodIndex method) {
    const std::string_view type = names_.TypeName(names_.DeclaringType(method));
    json_.Open('[');
    if (type != kClassType) json_.String(type);
    json_.String(names_.MethodName(method));
    if (type != kClassType)
      json_.String(names_.DescribeMethod(method)).Int(IsJdkClass(type) ? 1 : 0);
    json_.Close(']');
  }

  const EventTables& events_;
  JsonBuilder& json_;
  Profile names_;  // its methods and lines are those of the flame graphs
  std::vector<MethodIndex> methods_;
  std::map<MethodIndex, int64_t> numbers_;  // in methods_
};

}  // namespace

void WriteReportEvents(const EventTables& events, size_t most_frames, JsonBuilder& json) {
  EventWriting(events, json).Run(most_frames);
}

}  // namespace iprof
