#include "writer/profile/io/event_part.h"

#include <catch2/catch.hpp>
#include <string>

#include "writer/profile/example_profiles.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/part_rules.h"

namespace iprof {
namespace {

constexpr std::string_view kHead =
    R"({"version":1,"types":["T"],"threads":["t"],"methods":[["a.B","f","()V"]],"stacks":[[0,3,9]],)";

std::string Part(std::string_view rest) { return std::string(kHead) + std::string(rest) + "}"; }

TEST_CASE("events are written as the header says, sorted, and read again", "[event_part]") {
  EventTables events;
  events.AddType("not used");
  const EventMethod read = events.AddMethod("a.B", "read", "()V");
  const EventMethod main = events.AddMethod("a.B", "main", "()V");
  const EventFrame frames[] = {{read, 7, 21}, {main, 3, 9}};
  const EventStack stack = events.AddStack(frames);
  const EventType object = events.AddType("java.lang.Object");
  const EventThread thread = events.AddThread("main");
  const EventStack owner = events.AddStack({&frames[1], 1});
  events.Add(EventTables::Allocation{.stack = stack,
                                     .type = events.AddType("[B"),
                                     .thread = thread,
                                     .bytes = 6'100'000,
                                     .objects = 96,
                                     .live_bytes = 510'000,
                                     .live_objects = 8,
                                     .samples = 12,
                                     .live_samples = 1});
  events.AddFigures(EventTables::AllocationFigures{
      .intervals = {524'288}, .samples = 12, .swept_ms = 1'764'530'000'000});
  events.Add(EventTables::Wait{.stack = stack,
                               .type = object,
                               .thread = thread,
                               .owner = owner,
                               .ns = 5'000'000,
                               .waits = 3});
  events.Add(EventTables::Wait{.stack = stack, .is_park = true, .ns = 2, .waits = 1});
  events.AddFigures(EventTables::WaitFigures{.thresholds = {1'000'000}, .waits = 4, .shorter = 41});
  const std::string json =
      R"({"version":1,"types":["[B","java.lang.Object"],"threads":["main"],)"
      R"("methods":[["a.B","main","()V"],["a.B","read","()V"]],"stacks":[[0,3,9],[1,7,21,0,3,9]],)"
      R"("alloc":{"intervals":[524288],"samples":12,"dropped":0,"sweptMs":1764530000000,)"
      R"("rows":[[1,0,0,6100000,96,510000,8,12,1]]},)"
      R"("lock":{"thresholds":[1000000],"waits":4,"dropped":0,"shorter":41,)"
      R"("rows":[[1,-1,-1,2,1,-1,1],[1,1,0,5000000,3,0,0]]}})";
  CHECK(EventsToJson(events) == json);
  const auto again = ParseEvents(json);
  REQUIRE(again);
  CHECK(EventsToJson(*again) == json);
}

TEST_CASE("members that are not known are skipped, and what was not recorded is absent",
          "[event_part]") {
  const auto some = ParseEvents(Part(
      R"("later":{"x":[1]},"lock":{"later":1,"rows":[[0,-1,0,5,1,-1,0,77]],"thresholds":[2],"waits":1})"));
  REQUIRE(some);
  CHECK_FALSE(some->allocation_figures());
  REQUIRE(some->waits().size() == 1);
  CHECK(some->waits()[0].ns == 5);
  CHECK(some->waits()[0].type == kNoEventType);
  CHECK(some->wait_figures()->thresholds == std::set<int64_t>{2});
  const auto none = ParseEvents(R"({"version":1})");
  REQUIRE(none);
  CHECK(none->empty());
}

TEST_CASE("any other text is no part", "[event_part]") {
  CHECK(ParseEvents(Part(R"("alloc":{"rows":[[0,0,0,1,1,0,0,1,0]]})")));
  for (const char* rest : {
           R"("alloc":[])",
           R"("alloc":{"rows":[[1,0,0,1,1,0,0,1,0]]})",    // no such stack
           R"("alloc":{"rows":[[-1,0,0,1,1,0,0,1,0]]})",   // a stack is needed
           R"("alloc":{"rows":[[0,1,0,1,1,0,0,1,0]]})",    // no such type
           R"("alloc":{"rows":[[0,0,-2,1,1,0,0,1,0]]})",   // no such thread
           R"("alloc":{"rows":[[0,0,0,-1,1,0,0,1,0]]})",   // a negative number
           R"("alloc":{"rows":[[0,0,0,1,1,0,0,1]]})",      // too short
           R"("alloc":{"rows":[[0,0,0,1.5,1,0,0,1,0]]})",  // no whole number
           R"("alloc":{"intervals":[-1],"rows":[]})",
           R"("lock":{"rows":[[0,0,0,5,1,-1]]})",
           R"("lock":{"rows":[[0,0,0,5,1,1,0]]})",
           R"("lock":{"rows":[[0,0,0,5,1,-1,2]]})",
           R"("stacks":[[]])",
           R"("stacks":[[0,1]])",
           R"("stacks":[[1,1,1]])",
           R"("stacks":[[0,65536,1]])",
           R"("stacks":[[0,-1,1]])",
           R"("stacks":[[0,1,-2]])",
           R"("methods":[["a","b"]])",
           R"("types":[7])",
           R"("version":2)",
       }) {
    INFO(rest);
    CHECK_FALSE(ParseEvents(Part(rest)));
  }
  for (const char* json : {"", "[]", "{}", R"({"version":2})", R"({"version":1} x)",
                           R"({"alloc":{"rows":[[0,0,0,1,1,0,0,1,0]]},"version":1})"}) {
    INFO(json);
    CHECK_FALSE(ParseEvents(json));
  }
}

TEST_CASE("a profile has its events in its section, and merges unite them", "[event_part]") {
  Profile profile;
  CHECK(EventsOf(profile).empty());
  SetEvents(profile, MakeExampleEvents());
  CHECK(EventsToJson(EventsOf(profile)) == EventsToJson(MakeExampleEvents()));
  const PartRule* rule = RuleOf(kEventsPart);
  REQUIRE(rule != nullptr);
  const std::string json = *AgentPart(profile, kEventsPart);
  CHECK(rule->is_valid(json));
  CHECK_FALSE(rule->is_valid(R"({"version":2})"));
  const auto events = ParseEvents(rule->unite(json, rule->multiply(json, 3)));
  REQUIRE(events);
  CHECK(events->waits().size() == 2);
  CHECK(events->waits()[0].ns + events->waits()[1].ns == 4 * 25'000'000);
  SetEvents(profile, EventTables());
  CHECK_FALSE(AgentPart(profile, kEventsPart));
}

}  // namespace
}  // namespace iprof
