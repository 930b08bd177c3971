#include "writer/profile/sample_threads.h"

#include <algorithm>
#include <map>

#include "writer/profile/entry_copier.h"

namespace iprof {
namespace {

// What no thread's frame is in; of samples, those for which `wants` is true of their thread.
Profile CopyWithoutThreads(const Profile& from,
                           const std::function<bool(MethodIndex thread)>& wants) {
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
      if (!wants(threads.TakeFrom(frames)) || frames.empty()) continue;
      for (Frame& frame : frames) frame.method = copier.Map(frame.method);
      made.AddCount(table, made.AddContext(frames), from.EntryCount(table, entry));
    }
  }
  for (const ExtraKey& extra : from.extras()) made.SetExtra(extra.key, extra.json);
  made.set_version(from.version());
  return made;
}

std::string_view NameOf(const Profile& profile, MethodIndex thread) {
  return thread == kNoMethod ? std::string_view() : profile.MethodName(thread);
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
  return Is(outermost) ? outermost : kNoMethod;
}

MethodIndex ThreadFrames::TakeFrom(std::vector<Frame>& frames) const {
  if (frames.empty() || !Is(frames.back().method)) return kNoMethod;
  const MethodIndex thread = frames.back().method;
  frames.pop_back();
  return thread;
}

size_t ThreadFrames::count() const {
  size_t threads = 0;
  for (const MethodIndex method : MethodsOf(profile_)) threads += Is(method) ? 1 : 0;
  return threads;
}

Profile WithoutThreads(Profile profile) {
  if (!ThreadFrames(profile).any()) return profile;
  return CopyWithoutThreads(profile, [](MethodIndex) { return true; });
}

Profile SamplesOfThreads(const Profile& profile,
                         const std::function<bool(std::string_view name)>& wants) {
  return CopyWithoutThreads(profile,
                            [&](MethodIndex thread) { return wants(NameOf(profile, thread)); });
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

}  // namespace iprof
