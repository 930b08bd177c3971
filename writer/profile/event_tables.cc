#include "writer/profile/event_tables.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "writer/base/utf8.h"

namespace iprof {
namespace {

constexpr EventValueFacts kValues[] = {
    {EventValue::kAllocBytes, "alloc-bytes", EventUnit::kBytes, "allocated"},
    {EventValue::kAllocObjects, "alloc-objects", EventUnit::kCount, "objects allocated"},
    {EventValue::kLiveBytes, "live-bytes", EventUnit::kBytes, "alive after the last collection"},
    {EventValue::kLiveObjects, "live-objects", EventUnit::kCount,
     "objects alive after the last collection"},
    {EventValue::kLockTime, "lock-time", EventUnit::kNanoseconds, "waited for locks"},
    {EventValue::kLockCount, "lock-count", EventUnit::kCount, "waits for locks"},
};

template <typename Id>
size_t IndexOf(Id id) {
  return static_cast<size_t>(id);
}

void AddTo(int64_t& sum, int64_t more) {
  assert(more >= 0);
  sum = SaturatingAdd(sum, more);
}

void Scale(int64_t& value, int64_t weight) { value = SaturatingMultiply(value, weight); }

}  // namespace

uint32_t EventTables::Names::Add(std::string_view text) {
  std::string name = NormalizeUtf8(text);
  const auto [known, is_new] =
      numbers.try_emplace(std::move(name), static_cast<uint32_t>(texts.size()));
  if (is_new) texts.push_back(known->first);
  return known->second;
}

EventType EventTables::AddType(std::string_view name) { return EventType{types_.Add(name)}; }

EventThread EventTables::AddThread(std::string_view name) {
  return EventThread{threads_.Add(name)};
}

EventMethod EventTables::AddMethod(std::string_view type, std::string_view name,
                                   std::string_view descriptor) {
  Method method{NormalizeUtf8(type), NormalizeUtf8(name), NormalizeUtf8(descriptor)};
  const auto [known, is_new] =
      method_numbers_.try_emplace(method, static_cast<uint32_t>(methods_.size()));
  if (is_new) methods_.push_back(std::move(method));
  return EventMethod{known->second};
}

EventStack EventTables::AddStack(std::span<const EventFrame> frames) {
  assert(!frames.empty());
  assert(std::ranges::all_of(
      frames, [&](const EventFrame& frame) { return IndexOf(frame.method) < methods_.size(); }));
  const auto [known, is_new] = stack_numbers_.try_emplace(Stack(frames.begin(), frames.end()),
                                                          static_cast<uint32_t>(stacks_.size()));
  if (is_new) stacks_.push_back(&known->first);
  return EventStack{known->second};
}

void EventTables::Add(const Allocation& row) {
  assert(IndexOf(row.stack) < stacks_.size());
  const auto [known, is_new] =
      allocation_places_.try_emplace({row.stack, row.type, row.thread}, allocations_.size());
  if (is_new) {
    allocations_.push_back(row);
    return;
  }
  Allocation& sum = allocations_[known->second];
  AddTo(sum.bytes, row.bytes);
  AddTo(sum.objects, row.objects);
  AddTo(sum.live_bytes, row.live_bytes);
  AddTo(sum.live_objects, row.live_objects);
  AddTo(sum.samples, row.samples);
  AddTo(sum.live_samples, row.live_samples);
}

void EventTables::Add(const Wait& row) {
  assert(IndexOf(row.stack) < stacks_.size());
  const auto [known, is_new] = wait_places_.try_emplace(
      {row.stack, row.type, row.thread, row.owner, row.is_park}, waits_.size());
  if (is_new) {
    waits_.push_back(row);
    return;
  }
  Wait& sum = waits_[known->second];
  AddTo(sum.ns, row.ns);
  AddTo(sum.waits, row.waits);
}

void EventTables::AddFigures(const AllocationFigures& figures) {
  if (!allocation_figures_) allocation_figures_ = AllocationFigures{};
  AllocationFigures& sum = *allocation_figures_;
  sum.intervals.insert(figures.intervals.begin(), figures.intervals.end());
  AddTo(sum.samples, figures.samples);
  AddTo(sum.dropped, figures.dropped);
  if (sum.swept_ms == 0 || (figures.swept_ms != 0 && figures.swept_ms < sum.swept_ms))
    sum.swept_ms = figures.swept_ms;
}

void EventTables::AddFigures(const WaitFigures& figures) {
  if (!wait_figures_) wait_figures_ = WaitFigures{};
  WaitFigures& sum = *wait_figures_;
  sum.thresholds.insert(figures.thresholds.begin(), figures.thresholds.end());
  AddTo(sum.waits, figures.waits);
  AddTo(sum.dropped, figures.dropped);
  AddTo(sum.shorter, figures.shorter);
}

const std::string& EventTables::NameOf(EventType type) const { return types_.texts[IndexOf(type)]; }

const std::string& EventTables::NameOf(EventThread thread) const {
  return threads_.texts[IndexOf(thread)];
}

const EventTables::Method& EventTables::MethodOf(EventMethod method) const {
  return methods_[IndexOf(method)];
}

std::span<const EventFrame> EventTables::Frames(EventStack stack) const {
  return *stacks_[IndexOf(stack)];
}

void EventTables::AddRows(const EventTables& other,
                          const std::function<bool(EventStack stack)>& wants) {
  std::vector<std::optional<EventMethod>> methods(other.methods().size());
  std::vector<std::optional<EventStack>> stacks(other.stack_count());
  const auto map_stack = [&](EventStack stack) {
    std::optional<EventStack>& known = stacks[IndexOf(stack)];
    if (known) return *known;
    const auto there = other.Frames(stack);
    Stack frames(there.begin(), there.end());
    for (EventFrame& frame : frames) {
      std::optional<EventMethod>& method = methods[IndexOf(frame.method)];
      const Method& names = other.MethodOf(frame.method);
      if (!method) method = AddMethod(names.type, names.name, names.descriptor);
      frame.method = *method;
    }
    known = AddStack(frames);
    return *known;
  };
  const auto map_key = [&](auto& row) {
    row.stack = map_stack(row.stack);
    if (row.type != kNoEventType) row.type = AddType(other.NameOf(row.type));
    if (row.thread != kNoEventThread) row.thread = AddThread(other.NameOf(row.thread));
  };
  for (Allocation row : other.allocations()) {
    if (!wants(row.stack)) continue;
    map_key(row);
    Add(row);
  }
  for (Wait row : other.waits()) {
    if (!wants(row.stack)) continue;
    map_key(row);
    if (row.owner != kNoEventStack) row.owner = map_stack(row.owner);
    Add(row);
  }
  if (other.allocation_figures_) AddFigures(*other.allocation_figures_);
  if (other.wait_figures_) AddFigures(*other.wait_figures_);
}

void EventTables::Unite(const EventTables& other) {
  AddRows(other, [](EventStack) { return true; });
}

EventTables EventTables::Where(const std::function<bool(EventStack stack)>& wants) const {
  EventTables made;
  made.AddRows(*this, wants);
  return made;
}

void EventTables::Multiply(int64_t weight) {
  for (Allocation& row : allocations_) {
    for (int64_t* value : {&row.bytes, &row.objects, &row.live_bytes, &row.live_objects})
      Scale(*value, weight);
  }
  for (Wait& row : waits_) {
    Scale(row.ns, weight);
    Scale(row.waits, weight);
  }
  if (!wait_figures_) return;
  for (int64_t* value : {&wait_figures_->waits, &wait_figures_->dropped, &wait_figures_->shorter})
    Scale(*value, weight);
}

std::span<const EventValueFacts> EventValues() { return kValues; }

const EventValueFacts& FactsOf(EventValue value) { return kValues[IndexOf(value)]; }

std::optional<EventValue> EventValueNamed(std::string_view name) {
  const auto* const found = std::ranges::find(kValues, name, &EventValueFacts::name);
  if (found == std::end(kValues)) return std::nullopt;
  return found->value;
}

int64_t ValueOf(const EventTables::Allocation& row, EventValue value) {
  switch (value) {
    case EventValue::kAllocBytes:
      return row.bytes;
    case EventValue::kAllocObjects:
      return row.objects;
    case EventValue::kLiveBytes:
      return row.live_bytes;
    case EventValue::kLiveObjects:
      return row.live_objects;
    case EventValue::kLockTime:
    case EventValue::kLockCount:
      break;
  }
  return 0;
}

int64_t ValueOf(const EventTables::Wait& row, EventValue value) {
  if (value == EventValue::kLockTime) return row.ns;
  return value == EventValue::kLockCount ? row.waits : 0;
}

int64_t SumOf(const EventTables& events, EventValue value) {
  int64_t sum = 0;
  for (const auto& row : events.allocations()) AddTo(sum, ValueOf(row, value));
  for (const auto& row : events.waits()) AddTo(sum, ValueOf(row, value));
  return sum;
}

bool HasValue(const EventTables& events, EventValue value) {
  switch (value) {
    case EventValue::kAllocBytes:
    case EventValue::kAllocObjects:
      return events.allocation_figures().has_value();
    case EventValue::kLiveBytes:
    case EventValue::kLiveObjects:
      return events.allocation_figures() && events.allocation_figures()->swept_ms != 0;
    case EventValue::kLockTime:
    case EventValue::kLockCount:
      return events.wait_figures().has_value();
  }
  return false;
}

}  // namespace iprof
