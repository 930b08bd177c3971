#include "writer/profile/sample_threads.h"

#include <algorithm>
#include <map>
#include <utility>

#include "writer/base/time_period.h"
#include "writer/profile/entry_copier.h"

namespace iprof {
namespace {

std::string_view NameOf(const Profile& profile, MethodIndex thread) {
  return thread == kNoMethod ? std::string_view() : profile.MethodName(thread);
}

// The samples for which `wants` is true of their thread and period, with these labels.
Profile CopySamples(const Profile& from, SampleLabels labels,
                    const std::function<bool(Frame label)>& wants) {
  const ThreadFrames threads(from);
  Profile made;
  EntryCopier copier(from, made, EntryCopier::Ids::kKeep);
  for (const TypeIndex type : TypesOf(from)) {
    if (!threads.Is(type)) copier.Map(type);
  }
  for (const MethodIndex method : MethodsOf(from)) {
    if (!threads.Is(method)) copier.Map(method);
  }
  for (const Table table : kAllTables) {
    for (const EntryIndex entry : EntriesOf(from, table)) {
      if (table != Table::kSamples) {
        copier.CopyEntry(table, entry);
        continue;
      }
      std::vector<Frame> frames = from.Frames(from.EntryContext(table, entry));
      Frame label = threads.TakeFrom(frames);
      if (!wants(label) || frames.empty()) continue;
      for (Frame& frame : frames) frame.method = copier.Map(frame.method);
      if (labels != SampleLabels::kThreadsAndPeriods) label.bci = 0;
      if (labels == SampleLabels::kNone) label.method = kNoMethod;
      if (label != Frame{kNoMethod, 0})
        frames.push_back({AddThread(made, NameOf(from, label.method)), label.bci});
      made.AddCount(table, made.AddContext(frames), from.EntryCount(table, entry));
    }
  }
  for (const ExtraKey& extra : from.extras()) made.SetExtra(extra.key, extra.json);
  made.set_version(from.version());
  return made;
}

}  // namespace

MethodIndex AddThread(Profile& profile, std::string_view name) {
  const TypeIndex type = profile.AddType(kThreadType);
  return profile.AddMethod(name, {&type, 1});
}

bool NamesNoMethod(const Profile& profile, MethodIndex method) {
  if (method == kNoMethod) return false;
  const std::string_view type = profile.TypeName(profile.DeclaringType(method));
  return type == kThreadType || type == kClassType;
}

MethodIndex ThreadFrames::Of(ContextIndex context) const {
  if (!any()) return kNoMethod;
  MethodIndex outermost = kNoMethod;
  profile_.ForEachFrame(context, [&](Frame frame) { outermost = frame.method; });
  return Is(outermost) && !profile_.MethodName(outermost).empty() ? outermost : kNoMethod;
}

Frame ThreadFrames::TakeFrom(std::vector<Frame>& frames) const {
  if (frames.empty() || !Is(frames.back().method)) return {kNoMethod, 0};
  Frame thread = frames.back();
  if (profile_.MethodName(thread.method).empty()) thread.method = kNoMethod;
  frames.pop_back();
  return thread;
}

size_t ThreadFrames::count() const {
  size_t threads = 0;
  for (const MethodIndex method : MethodsOf(profile_)) threads += Is(method) ? 1 : 0;
  return threads;
}

Profile WithoutThreads(Profile profile) {
  return WithLabels(std::move(profile), SampleLabels::kNone);
}

Profile WithLabels(Profile profile, SampleLabels labels) {
  if (labels == SampleLabels::kThreadsAndPeriods || !ThreadFrames(profile).any()) return profile;
  return CopySamples(profile, labels, [](Frame) { return true; });
}

Profile SamplesOfThreads(const Profile& profile,
                         const std::function<bool(std::string_view name)>& wants) {
  return CopySamples(profile, SampleLabels::kNone,
                     [&](Frame label) { return wants(NameOf(profile, label.method)); });
}

Profile SamplesOfPeriods(const Profile& profile, uint64_t from, uint64_t to) {
  return CopySamples(profile, SampleLabels::kThreadsAndPeriods, [&](Frame label) {
    if (label.bci == 0) return false;
    const auto begin = static_cast<uint64_t>(label.bci - 1);
    const uint32_t period = PeriodAt(begin);
    return begin < to && (period == kLastPeriod || BeginOf(period + 1) > from);
  });
}

std::vector<ThreadSamples> ThreadsOf(const Profile& profile) {
  const ThreadFrames frames(profile);
  std::map<std::string_view, int64_t> weights;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    int64_t& weight =
        weights[NameOf(profile, frames.Of(profile.EntryContext(Table::kSamples, entry)))];
    weight = SaturatingAdd(weight, profile.EntryCount(Table::kSamples, entry));
  }
  std::vector<ThreadSamples> threads;
  for (const auto& [name, weight] : weights) threads.push_back({name, weight});
  std::ranges::stable_sort(threads, std::greater<>(), &ThreadSamples::weight);
  return threads;
}

bool KnowsThreads(const Profile& profile) {
  const ThreadFrames frames(profile);
  if (!frames.any()) return false;
  bool knows = false;
  for (const MethodIndex method : MethodsOf(profile))
    knows = knows || (frames.Is(method) && !profile.MethodName(method).empty());
  return knows;
}

std::vector<PeriodSamples> PeriodsOf(const Profile& profile) {
  const ThreadFrames frames(profile);
  if (!frames.any()) return {};
  std::map<Bci, int64_t> weights;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    std::vector<Frame> stack = profile.Frames(profile.EntryContext(Table::kSamples, entry));
    int64_t& weight = weights[frames.TakeFrom(stack).bci];
    weight = SaturatingAdd(weight, profile.EntryCount(Table::kSamples, entry));
  }
  weights.erase(0);
  std::vector<PeriodSamples> periods;
  for (const auto& [bci, weight] : weights)
    periods.push_back({static_cast<uint32_t>(bci - 1), weight});
  return periods;
}

}  // namespace iprof
