#include "writer/ops/event_samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "writer/names/java_names.h"
#include "writer/names/type_names.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

int64_t SamplesOf(const EventTables::Allocation& row, EventValue value) {
  switch (value) {
    case EventValue::kAllocBytes:
    case EventValue::kAllocObjects:
      return row.samples;
    case EventValue::kLiveBytes:
    case EventValue::kLiveObjects:
      return row.live_samples;
    case EventValue::kLockTime:
    case EventValue::kLockCount:
      break;
  }
  return 0;
}
int64_t SamplesOf(const EventTables::Wait& /*row*/, EventValue /*value*/) { return 0; }

// `weight_of` an allocation or a wait; stacks with 0 are left out.
template <typename WeightOf>
Profile StacksWith(const EventTables& events, ClassFrames frames, const WeightOf& weight_of) {
  Profile profile;
  EventContexts contexts(events, profile, frames);
  const auto add = [&](const auto& row) {
    const int64_t weight = weight_of(row);
    if (weight == 0) return;
    profile.AddCount(Table::kSamples, contexts.Of(row.stack, row.type, row.thread), weight);
  };
  for (const EventTables::Allocation& row : events.allocations()) add(row);
  for (const EventTables::Wait& row : events.waits()) add(row);
  return profile;
}

}  // namespace

MethodIndex EventContexts::MethodOf(EventMethod method) {
  if (methods_.empty()) methods_.assign(events_.methods().size(), kNoMethod);
  MethodIndex& known = methods_[static_cast<size_t>(method)];
  if (known != kNoMethod) return known;
  const EventTables::Method& names = events_.MethodOf(method);
  std::vector<TypeIndex> signature{profile_.AddType(names.type)};
  for (const std::string& type : SignatureOf(names.descriptor).value_or(std::vector<std::string>()))
    signature.push_back(profile_.AddType(type));
  return known = profile_.AddMethod(names.name, signature);
}

ContextIndex EventContexts::Of(EventStack stack, EventType type, EventThread thread) {
  stack_.clear();
  if (frames_ == ClassFrames::kInnermost && type != kNoEventType) {
    const TypeIndex declaring = profile_.AddType(kClassType);
    stack_.push_back({profile_.AddMethod(JavaTypeName(events_.NameOf(type)), {&declaring, 1}), 0});
  }
  for (const EventFrame& frame : events_.Frames(stack)) {
    const MethodIndex method = MethodOf(frame.method);
    if (frame.line >= 0) profile_.notes().SetLine(method, frame.bci, frame.line);
    stack_.push_back({method, frame.bci});
  }
  if (thread != kNoEventThread) stack_.push_back({AddThread(profile_, events_.NameOf(thread)), 0});
  return profile_.AddContext(stack_);
}

Profile EventsAsSamples(const EventTables& events, EventValue value, ClassFrames frames) {
  return StacksWith(events, frames, [&](const auto& row) { return ValueOf(row, value); });
}

Profile SampleCountsOf(const EventTables& events, EventValue value, ClassFrames frames) {
  return StacksWith(events, frames, [&](const auto& row) { return SamplesOf(row, value); });
}

double ErrorOfSamples(int64_t samples) {
  return samples <= 0 ? 0 : 3 / std::sqrt(static_cast<double>(samples));
}

EventTables FilterEvents(const EventTables& events, const ProfileFilter& filter) {
  std::vector<bool> is_wanted;
  for (const EventTables::Method& method : events.methods())
    is_wanted.push_back(filter.Wants(method.type));
  return events.Where([&](EventStack stack) {
    return std::ranges::any_of(events.Frames(stack), [&](const EventFrame& frame) {
      return is_wanted[static_cast<size_t>(frame.method)];
    });
  });
}

std::vector<ClassSum> SumsByClass(const Profile& samples) {
  const std::optional<TypeIndex> type = samples.FindType(kClassType);
  std::map<std::string_view, int64_t> sums;
  for (const EntryIndex entry : EntriesOf(samples, Table::kSamples)) {
    const MethodIndex innermost =
        samples.InnermostFrame(samples.EntryContext(Table::kSamples, entry)).method;
    const bool is_class = type && samples.DeclaringType(innermost) == *type;
    int64_t& sum = sums[is_class ? samples.MethodName(innermost) : std::string_view()];
    sum = SaturatingAdd(sum, samples.EntryCount(Table::kSamples, entry));
  }
  std::vector<ClassSum> classes;
  for (const auto& [name, sum] : sums) classes.push_back({std::string(name), sum});
  std::ranges::stable_sort(classes, std::greater<>(), &ClassSum::weight);
  return classes;
}

}  // namespace iprof
