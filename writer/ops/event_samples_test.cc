#include "writer/ops/event_samples.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "writer/ops/summary.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

using Stacks = std::map<std::string, int64_t>;

Stacks StacksIn(const Profile& profile) {
  Stacks stacks;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    std::string text;
    profile.ForEachFrame(profile.EntryContext(Table::kSamples, entry), [&](Frame frame) {
      text += (text.empty() ? "" : " < ") + QualifiedName(profile, frame.method) + ":" +
              std::to_string(frame.bci);
    });
    stacks[text] += profile.EntryCount(Table::kSamples, entry);
  }
  return stacks;
}

TEST_CASE("events are stacks between a class and a thread", "[event_samples]") {
  const EventTables events = MakeExampleEvents();
  const Profile bytes = EventsAsSamples(events, EventValue::kAllocBytes);
  CHECK(StacksIn(bytes) ==
        Stacks{{"byte[]:0 < java.util.Arrays.copyOf:2 < a.Main.load:7 < a.Main.main:5 < [main]:0",
                6'000'000},
               {"byte[]:0 < java.util.Arrays.copyOf:2 < a.Main.load:7 < [pool-*-thread-*]:0",
                1'000'000},
               {"a.Node:0 < a.Main.load:12 < a.Main.main:5 < [main]:0", 3'000'000}});
  CHECK(bytes.Total(Table::kSamples) == 10'000'000);
  const Frame load = bytes.Frames(bytes.EntryContext(Table::kSamples, EntryIndex{0}))[2];
  CHECK(bytes.notes().LineOf(load.method, 7) == 21);
  CHECK(bytes.DescribeMethod(load.method) == "a.Main.load(int)void");
  CHECK(StacksIn(EventsAsSamples(events, EventValue::kLockTime, ClassFrames::kNone)) ==
        Stacks{{"a.Main.load:30 < a.Main.main:5 < [main]:0", 5'000'000},
               {"java.util.concurrent.locks.LockSupport.park:14 < a.Main.load:30 < "
                "[pool-*-thread-*]:0",
                20'000'000}});
}

TEST_CASE("stacks without the value are left out", "[event_samples]") {
  const EventTables events = MakeExampleEvents();
  CHECK(EventsAsSamples(events, EventValue::kLiveBytes).entry_count(Table::kSamples) == 2);
  CHECK(EventsAsSamples(events, EventValue::kLiveObjects).Total(Table::kSamples) == 100'020);
  CHECK(EventsAsSamples(EventTables(), EventValue::kLockCount).entry_count(Table::kSamples) == 0);
}

TEST_CASE("what is not known has no frame", "[event_samples]") {
  EventTables events;
  const EventFrame frame{events.AddMethod("a.B", "run", "broken"), 7};
  events.Add(EventTables::Allocation{.stack = events.AddStack({&frame, 1}), .bytes = 5});
  const Profile bytes = EventsAsSamples(events, EventValue::kAllocBytes);
  CHECK(StacksIn(bytes) == Stacks{{"a.B.run:7", 5}});
  CHECK_FALSE(bytes.notes().LineOf(MethodIndex{0}, 7));
  CHECK_FALSE(ThreadFrames(bytes).any());
  REQUIRE(SumsByClass(bytes).size() == 1);
  CHECK(SumsByClass(bytes)[0].name.empty());
}

TEST_CASE("numbers of samples say how sure a value is", "[event_samples]") {
  const EventTables events = MakeExampleEvents();
  CHECK(SampleCountsOf(events, EventValue::kAllocObjects).Total(Table::kSamples) == 20);
  CHECK(SampleCountsOf(events, EventValue::kLiveBytes).Total(Table::kSamples) == 10);
  CHECK(SampleCountsOf(events, EventValue::kLockTime).Total(Table::kSamples) == 0);
  CHECK(ErrorOfSamples(900) == Approx(0.1));
  CHECK(ErrorOfSamples(0) == 0);
}

TEST_CASE("classes by value", "[event_samples]") {
  const auto classes = SumsByClass(EventsAsSamples(MakeExampleEvents(), EventValue::kAllocBytes));
  REQUIRE(classes.size() == 2);
  CHECK(classes[0].name == "byte[]");
  CHECK(classes[0].weight == 7'000'000);
  CHECK(classes[1].name == "a.Node");
  CHECK(classes[1].weight == 3'000'000);
}

TEST_CASE("a filter keeps events by the methods on their stacks", "[event_samples]") {
  const EventTables events = MakeExampleEvents();
  const auto total = [&](const ProfileFilter& filter) {
    return EventsAsSamples(FilterEvents(events, filter), EventValue::kAllocBytes)
        .Total(Table::kSamples);
  };
  CHECK(total({}) == 10'000'000);
  CHECK(total({.include = {"java.util.*"}}) == 7'000'000);
  CHECK(total({.app = true}) == 10'000'000);
  CHECK(total({.include = {"byte*"}}) == 0);  // no method's class
  // The same of samples with frames of classes and threads.
  const Profile samples = EventsAsSamples(events, EventValue::kAllocBytes);
  for (const ProfileFilter& filter :
       {ProfileFilter{.include = {"java.util.*"}}, ProfileFilter{.exclude = {"a.*"}}}) {
    CHECK(FilterProfile(samples, filter).Total(Table::kSamples) == total(filter));
  }
  CHECK(FilterEvents(events, {.include = {"none"}}).allocation_figures() ==
        events.allocation_figures());
}

}  // namespace
}  // namespace iprof
