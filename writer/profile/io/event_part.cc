#include "writer/profile/io/event_part.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/io/json_object.h"

namespace iprof {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;
constexpr int64_t kBcis = 65536;
constexpr int64_t kMostLine = std::numeric_limits<int32_t>::max();

// What rows use of a list, in the order in which it is written, and its numbers there.
class Used {
 public:
  explicit Used(size_t size) : numbers_(size, -1) {}

  template <typename Id>
  void Add(Id id) {
    const auto index = static_cast<size_t>(id);
    if (index < numbers_.size()) numbers_[index] = 0;
  }
  // less(a, b) of two indices.
  template <typename Less>
  void Sort(const Less& less) {
    for (size_t index = 0; index < numbers_.size(); ++index) {
      if (numbers_[index] >= 0) order_.push_back(index);
    }
    std::ranges::sort(order_, less);
    int64_t next = 0;
    for (const size_t index : order_) numbers_[index] = next++;
  }
  std::span<const size_t> order() const { return order_; }
  // -1 for what is not known.
  template <typename Id>
  int64_t NumberOf(Id id) const {
    const auto index = static_cast<size_t>(id);
    return index < numbers_.size() ? numbers_[index] : -1;
  }

 private:
  std::vector<int64_t> numbers_;
  std::vector<size_t> order_;
};

EventStack StackAt(size_t index) { return EventStack{static_cast<uint32_t>(index)}; }

class PartWriter {
 public:
  explicit PartWriter(const EventTables& events)
      : events_(events),
        types_(events.types().size()),
        threads_(events.threads().size()),
        methods_(events.methods().size()),
        stacks_(events.stack_count()) {
    for (const EventTables::Allocation& row : events.allocations()) AddKey(row);
    for (const EventTables::Wait& row : events.waits()) {
      AddKey(row);
      if (row.owner != kNoEventStack) AddStack(row.owner);
    }
    const auto by_value = [](const auto& list) {
      return [&list](size_t a, size_t b) { return list[a] < list[b]; };
    };
    const auto types = events.types();
    const auto threads = events.threads();
    const auto methods = events.methods();
    types_.Sort(by_value(types));
    threads_.Sort(by_value(threads));
    methods_.Sort(by_value(methods));
    stacks_.Sort([&](size_t a, size_t b) { return ComesBefore(StackAt(a), StackAt(b)); });
  }

  std::string Write() {
    json_.Open('{').Field("version", kEventsVersion);
    WriteNames("types", events_.types(), types_);
    WriteNames("threads", events_.threads(), threads_);
    json_.Key("methods").Open('[');
    for (const size_t index : methods_.order()) {
      const EventTables::Method& method = events_.methods()[index];
      json_.Open('[').String(method.type).String(method.name).String(method.descriptor).Close(']');
    }
    json_.Close(']').Key("stacks").Open('[');
    for (const size_t index : stacks_.order()) {
      json_.Open('[');
      for (const EventFrame& frame : events_.Frames(StackAt(index)))
        json_.Int(methods_.NumberOf(frame.method)).Int(frame.bci).Int(frame.line);
      json_.Close(']');
    }
    json_.Close(']');
    if (events_.allocation_figures()) WriteAllocations(*events_.allocation_figures());
    if (events_.wait_figures()) WriteWaits(*events_.wait_figures());
    return json_.Close('}').Take();
  }

 private:
  using Row = std::vector<int64_t>;

  template <typename Record>
  void AddKey(const Record& row) {
    types_.Add(row.type);
    threads_.Add(row.thread);
    AddStack(row.stack);
  }
  void AddStack(EventStack stack) {
    stacks_.Add(stack);
    for (const EventFrame& frame : events_.Frames(stack)) methods_.Add(frame.method);
  }
  // After the methods have their numbers.
  bool ComesBefore(EventStack a, EventStack b) const {
    return std::ranges::lexicographical_compare(
        events_.Frames(a), events_.Frames(b), [&](const EventFrame& x, const EventFrame& y) {
          if (x.method != y.method)
            return methods_.NumberOf(x.method) < methods_.NumberOf(y.method);
          return x < y;
        });
  }
  void WriteNames(std::string_view key, std::span<const std::string> names, const Used& used) {
    json_.Key(key).Open('[');
    for (const size_t index : used.order()) json_.String(names[index]);
    json_.Close(']');
  }
  void WriteNumbers(std::string_view key, const std::set<int64_t>& numbers) {
    json_.Key(key).Open('[');
    for (const int64_t number : numbers) json_.Int(number);
    json_.Close(']');
  }
  void WriteRows(std::vector<Row> rows) {
    std::ranges::sort(rows);
    json_.Key("rows").Open('[');
    for (const Row& row : rows) {
      json_.Open('[');
      for (const int64_t number : row) json_.Int(number);
      json_.Close(']');
    }
    json_.Close(']').Close('}');
  }
  void WriteAllocations(const EventTables::AllocationFigures& figures) {
    json_.Key("alloc").Open('{');
    WriteNumbers("intervals", figures.intervals);
    json_.Field("samples", figures.samples)
        .Field("dropped", figures.dropped)
        .Field("sweptMs", figures.swept_ms);
    std::vector<Row> rows;
    for (const EventTables::Allocation& row : events_.allocations()) {
      rows.push_back({stacks_.NumberOf(row.stack), types_.NumberOf(row.type),
                      threads_.NumberOf(row.thread), row.bytes, row.objects, row.live_bytes,
                      row.live_objects, row.samples, row.live_samples});
    }
    WriteRows(std::move(rows));
  }
  void WriteWaits(const EventTables::WaitFigures& figures) {
    json_.Key("lock").Open('{');
    WriteNumbers("thresholds", figures.thresholds);
    json_.Field("waits", figures.waits)
        .Field("dropped", figures.dropped)
        .Field("shorter", figures.shorter);
    std::vector<Row> rows;
    for (const EventTables::Wait& row : events_.waits()) {
      rows.push_back({stacks_.NumberOf(row.stack), types_.NumberOf(row.type),
                      threads_.NumberOf(row.thread), row.ns, row.waits, stacks_.NumberOf(row.owner),
                      row.is_park ? 1 : 0});
    }
    WriteRows(std::move(rows));
  }

  const EventTables& events_;
  Used types_;
  Used threads_;
  Used methods_;
  Used stacks_;
  JsonBuilder json_;
};

// Lists come before the rows that name them.
class PartReader {
 public:
  std::optional<EventTables> Read(std::string_view json) {
    const bool read = ParseObject(json, kEventsPart, [&](JsonScanner& in, const std::string& name) {
      return ReadMember(in, name);
    });
    if (!read || version_ != kEventsVersion) return std::nullopt;
    return std::move(events_);
  }

 private:
  bool ReadMember(JsonScanner& in, const std::string& name) {
    if (name == "version") return in.ReadWhole(&version_) && version_ == kEventsVersion;
    if (name == "types") return ReadNames(in, [&] { types_.push_back(events_.AddType(text_)); });
    if (name == "threads")
      return ReadNames(in, [&] { threads_.push_back(events_.AddThread(text_)); });
    if (name == "methods") return in.ReadArray([&] { return ReadMethod(in); });
    if (name == "stacks") return in.ReadArray([&] { return ReadStack(in); });
    if (name == "alloc") return ReadAllocations(in);
    if (name == "lock") return ReadWaits(in);
    return in.SkipValue();
  }

  template <typename Add>
  bool ReadNames(JsonScanner& in, const Add& add) {
    return in.ReadArray([&] {
      if (in.Peek() != '"' || !in.ReadText(&text_)) return false;
      add();
      return true;
    });
  }
  bool ReadMethod(JsonScanner& in) {
    std::vector<std::string> texts;
    if (!ReadNames(in, [&] { texts.push_back(text_); }) || texts.size() != 3) return false;
    methods_.push_back(events_.AddMethod(texts[0], texts[1], texts[2]));
    return true;
  }
  bool ReadNumbers(JsonScanner& in) {
    numbers_.clear();
    return in.ReadArray([&] { return in.ReadWhole(&numbers_.emplace_back()); });
  }
  bool ReadStack(JsonScanner& in) {
    if (!ReadNumbers(in) || numbers_.empty() || numbers_.size() % 3 != 0) return false;
    std::vector<EventFrame> frames;
    for (size_t at = 0; at < numbers_.size(); at += 3) {
      const int64_t bci = numbers_[at + 1];
      const int64_t line = numbers_[at + 2];
      EventFrame& frame = frames.emplace_back();
      if (!Take(at, methods_, &frame.method) || bci < 0 || bci >= kBcis || line < -1 ||
          line > kMostLine)
        return false;
      frame.bci = static_cast<Bci>(bci);
      frame.line = static_cast<int32_t>(line);
    }
    stacks_.push_back(events_.AddStack(frames));
    return true;
  }

  // The number at a place of a row names an element of a list.
  template <typename Id>
  bool Take(size_t at, const std::vector<Id>& list, Id* id) const {
    const int64_t number = numbers_[at];
    if (number < 0 || static_cast<uint64_t>(number) >= list.size()) return false;
    *id = list[static_cast<size_t>(number)];
    return true;
  }
  // The same, or it is not known.
  template <typename Id>
  bool TakeIfAny(size_t at, const std::vector<Id>& list, Id* id) const {
    return numbers_[at] == -1 || Take(at, list, id);
  }
  template <typename Row>
  bool TakeKey(Row* row) const {
    return Take(0, stacks_, &row->stack) && TakeIfAny(1, types_, &row->type) &&
           TakeIfAny(2, threads_, &row->thread);
  }
  bool AreCounts(size_t from, size_t to) const {
    return std::ranges::all_of(std::span(numbers_).subspan(from, to - from),
                               [](int64_t number) { return number >= 0; });
  }

  static bool ReadCount(JsonScanner& in, int64_t* count) {
    return in.ReadWhole(count) && *count >= 0;
  }
  bool ReadSet(JsonScanner& in, std::set<int64_t>* numbers) {
    if (!ReadNumbers(in) || !AreCounts(0, numbers_.size())) return false;
    numbers->insert(numbers_.begin(), numbers_.end());
    return true;
  }

  bool ReadAllocations(JsonScanner& in) {
    EventTables::AllocationFigures figures;
    const bool read = ReadObject(in, [&](const std::string& name) {
      if (name == "intervals") return ReadSet(in, &figures.intervals);
      if (name == "samples") return ReadCount(in, &figures.samples);
      if (name == "dropped") return ReadCount(in, &figures.dropped);
      if (name == "sweptMs") return ReadCount(in, &figures.swept_ms);
      if (name != "rows") return in.SkipValue();
      return in.ReadArray([&] {
        EventTables::Allocation row;
        if (!ReadNumbers(in) || numbers_.size() < 9 || !TakeKey(&row) || !AreCounts(3, 9))
          return false;
        row.bytes = numbers_[3];
        row.objects = numbers_[4];
        row.live_bytes = numbers_[5];
        row.live_objects = numbers_[6];
        row.samples = numbers_[7];
        row.live_samples = numbers_[8];
        events_.Add(row);
        return true;
      });
    });
    if (read) events_.AddFigures(figures);
    return read;
  }
  bool ReadWaits(JsonScanner& in) {
    EventTables::WaitFigures figures;
    const bool read = ReadObject(in, [&](const std::string& name) {
      if (name == "thresholds") return ReadSet(in, &figures.thresholds);
      if (name == "waits") return ReadCount(in, &figures.waits);
      if (name == "dropped") return ReadCount(in, &figures.dropped);
      if (name == "shorter") return ReadCount(in, &figures.shorter);
      if (name != "rows") return in.SkipValue();
      return in.ReadArray([&] {
        EventTables::Wait row;
        if (!ReadNumbers(in) || numbers_.size() < 7 || !TakeKey(&row) || !AreCounts(3, 5) ||
            !TakeIfAny(5, stacks_, &row.owner) || numbers_[6] < 0 || numbers_[6] > 1)
          return false;
        row.ns = numbers_[3];
        row.waits = numbers_[4];
        row.is_park = numbers_[6] == 1;
        events_.Add(row);
        return true;
      });
    });
    if (read) events_.AddFigures(figures);
    return read;
  }

  EventTables events_;
  int64_t version_ = 0;
  std::string text_;
  std::vector<int64_t> numbers_;
  std::vector<EventType> types_;
  std::vector<EventThread> threads_;
  std::vector<EventMethod> methods_;
  std::vector<EventStack> stacks_;
};

}  // namespace

std::string EventsToJson(const EventTables& events) { return PartWriter(events).Write(); }

std::optional<EventTables> ParseEvents(std::string_view json) {
  if (json.size() > kMostBytes) return std::nullopt;
  return PartReader().Read(json);
}

EventTables EventsOf(const Profile& profile) {
  const auto json = AgentPart(profile, kEventsPart);
  std::optional<EventTables> events = json ? ParseEvents(*json) : std::nullopt;
  return events ? std::move(*events) : EventTables();
}

void SetEvents(Profile& profile, const EventTables& events) {
  if (events.empty()) {
    RemoveAgentPart(profile, kEventsPart);
  } else {
    SetAgentPart(profile, kEventsPart, EventsToJson(events));
  }
}

}  // namespace iprof
