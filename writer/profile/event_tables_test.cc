#include "writer/profile/event_tables.h"

#include <catch2/catch.hpp>
#include <limits>
#include <utility>

#include "writer/profile/example_profiles.h"
#include "writer/profile/io/event_part.h"

namespace iprof {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST_CASE("names and stacks are known once, in UTF-8, and survive a move", "[event_tables]") {
  EventTables events;
  const EventMethod run = events.AddMethod("a.B", "run", "()V");
  CHECK(events.AddMethod("a.B", "run", "()V") == run);
  CHECK(events.AddMethod("a.B", "run", "(I)V") != run);
  // The JVM's form of a character beyond U+FFFF.
  const EventType type = events.AddType("a.\xed\xa0\xbd\xed\xb8\x80");
  CHECK(events.AddType("a.\xf0\x9f\x98\x80") == type);
  CHECK(events.NameOf(type) == "a.\xf0\x9f\x98\x80");
  const EventFrame frames[] = {{run, 7, 21}, {run, 3, -1}};
  const EventStack stack = events.AddStack(frames);
  CHECK(events.AddStack(frames) == stack);
  CHECK(events.AddStack({frames, 1}) != stack);
  events = EventTables(std::move(events));
  REQUIRE(events.Frames(stack).size() == 2);
  CHECK(events.Frames(stack)[0] == frames[0]);
  CHECK(events.AddStack(frames) == stack);
}

TEST_CASE("rows with the same stack, class and thread add up", "[event_tables]") {
  EventTables events;
  const EventFrame frame{events.AddMethod("a.B", "run", "()V"), 7, 21};
  const EventStack stack = events.AddStack({&frame, 1});
  const EventThread thread = events.AddThread("main");
  const EventTables::Allocation row{.stack = stack, .bytes = 100, .objects = 2, .samples = 1};
  events.Add(row);
  events.Add(row);
  events.Add(EventTables::Allocation{.stack = stack, .thread = thread, .bytes = kMost});
  events.Add(EventTables::Allocation{.stack = stack, .thread = thread, .bytes = 1});
  REQUIRE(events.allocations().size() == 2);
  CHECK(events.allocations()[0].bytes == 200);
  CHECK(events.allocations()[0].samples == 2);
  CHECK(events.allocations()[1].bytes == kMost);
  const EventTables::Wait wait{.stack = stack, .ns = 10, .waits = 1};
  EventTables::Wait parked = wait;
  parked.is_park = true;
  EventTables::Wait owned = wait;
  owned.owner = stack;
  for (const EventTables::Wait& each : {wait, parked, owned, wait}) events.Add(each);
  REQUIRE(events.waits().size() == 3);
  CHECK(events.waits()[0].ns == 20);
  CHECK(events.waits()[0].waits == 2);
}

TEST_CASE("what a command can show is known by name, once it was recorded", "[event_tables]") {
  const EventTables events = MakeExampleEvents();
  const std::pair<std::string_view, int64_t> expected[] = {
      {"alloc-bytes", 10'000'000}, {"alloc-objects", 100'070}, {"live-bytes", 5'000'000},
      {"live-objects", 100'020},   {"lock-time", 25'000'000},  {"lock-count", 6}};
  REQUIRE(EventValues().size() == std::size(expected));
  for (const auto& [name, sum] : expected) {
    INFO(name);
    const auto value = EventValueNamed(name);
    REQUIRE(value);
    CHECK(FactsOf(*value).value == *value);
    CHECK(FactsOf(*value).name == name);
    CHECK(HasValue(events, *value));
    CHECK_FALSE(HasValue(EventTables(), *value));
    CHECK(SumOf(events, *value) == sum);
  }
  CHECK_FALSE(EventValueNamed("alloc"));
  EventTables no_collection;
  no_collection.AddFigures(EventTables::AllocationFigures{.intervals = {1}});
  CHECK(HasValue(no_collection, EventValue::kAllocBytes));
  CHECK_FALSE(HasValue(no_collection, EventValue::kLiveBytes));
  CHECK_FALSE(HasValue(no_collection, EventValue::kLockTime));
}

TEST_CASE("tables are united in any order, and multiplied", "[event_tables]") {
  const auto one = [] {
    EventTables events;
    const EventFrame frame{events.AddMethod("a.B", "run", "()V"), 7, 21};
    events.Add(EventTables::Allocation{.stack = events.AddStack({&frame, 1}),
                                       .type = events.AddType("z.Z"),
                                       .bytes = 50,
                                       .objects = 5,
                                       .samples = 3});
    events.AddFigures(EventTables::AllocationFigures{.intervals = {1000}, .samples = 3});
    return events;
  };
  EventTables left = MakeExampleEvents();
  left.Unite(one());
  EventTables right = one();
  right.Unite(MakeExampleEvents());
  CHECK(EventsToJson(left) == EventsToJson(right));
  CHECK(left.allocation_figures()->intervals == std::set<int64_t>{1000, 524'288});
  CHECK(left.allocation_figures()->samples == 24);
  CHECK(left.allocation_figures()->swept_ms == 1'764'530'000'000);
  CHECK(SumOf(left, EventValue::kAllocBytes) == 10'000'050);
  EventTables twice = MakeExampleEvents();
  twice.Unite(MakeExampleEvents());
  EventTables doubled = MakeExampleEvents();
  doubled.Multiply(2);
  CHECK(doubled.allocations().size() == twice.allocations().size());
  for (const EventValueFacts& facts : EventValues())
    CHECK(SumOf(doubled, facts.value) == SumOf(twice, facts.value));
  CHECK(doubled.allocations()[0].samples == 12);
  CHECK(twice.allocations()[0].samples == 24);
  CHECK(doubled.wait_figures() == twice.wait_figures());
}

TEST_CASE("of several sweeps, the earliest counts", "[event_tables]") {
  EventTables events;
  for (const int64_t swept_ms : {0, 300, 200, 0, 250}) {
    EventTables::AllocationFigures figures;
    figures.swept_ms = swept_ms;
    events.AddFigures(figures);
  }
  CHECK(events.allocation_figures()->swept_ms == 200);
}

}  // namespace
}  // namespace iprof
