// EventsAsSamples: allocations and waits (writer/profile/event_tables.h) as samples, so that all that shows samples also shows
// them: flame graphs, flat profiles, callers.
//
// Example: 6,000,000 bytes of byte arrays in a.Main.load < a.Main.main, in the thread main, become for kAllocBytes the stack
//   byte[] < a.Main.load:7 < a.Main.main:5 < [main]     with 6,000,000
// The innermost frame stands for the class and the outermost for the thread (sample_threads.h), as far as they are known.
// With ClassFrames::kNone the innermost frame is the method that allocates or waits.
//
// Guarantees: the profile has stacks with the value only, with the lines of their positions; the sum of samples is that of the
// value. FilterEvents keeps whole rows by the methods on their stacks, as FilterProfile keeps samples.
// Threads: any; pure functions. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "writer/ops/profile_filter.h"
#include "writer/profile/event_tables.h"
#include "writer/profile/model.h"

namespace iprof {

enum class ClassFrames : uint8_t { kNone, kInnermost };

Profile EventsAsSamples(const EventTables& events, EventValue value,
                        ClassFrames frames = ClassFrames::kInnermost);
// The same stacks with the number of objects that were sampled, without weights: how sure the value is. No stack has more than
// 0 for waits, which are not sampled.
Profile SampleCountsOf(const EventTables& events, EventValue value,
                       ClassFrames frames = ClassFrames::kInnermost);
// A sum of n samples is right within this share of it in 997 of 1,000 cases: 3 / sqrt(n). 0 for no samples.
double ErrorOfSamples(int64_t samples);

EventTables FilterEvents(const EventTables& events, const ProfileFilter& filter);

// By class, of a profile with kInnermost frames: Java's name, and its samples; most first, then by name.
struct ClassSum {
  std::string name;  // "byte[]"; "": not known
  int64_t weight = 0;
};
std::vector<ClassSum> SumsByClass(const Profile& samples);

// The stacks of events as contexts of a profile that gets their methods and lines.
class EventContexts {
 public:
  EventContexts(const EventTables& events, Profile& profile, ClassFrames frames)
      : events_(events), profile_(profile), frames_(frames) {}
  ContextIndex Of(EventStack stack, EventType type, EventThread thread);

 private:
  MethodIndex MethodOf(EventMethod method);

  const EventTables& events_;
  Profile& profile_;
  const ClassFrames frames_;
  std::vector<MethodIndex> methods_;  // kNoMethod: not made yet
  std::vector<Frame> stack_;
};

}  // namespace iprof
