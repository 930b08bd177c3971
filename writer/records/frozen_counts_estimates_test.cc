#include <catch2/catch.hpp>
#include <map>

#include "writer/records/frozen_counts.h"
#include "writer/records/testing_program.h"

namespace iprof {
namespace {

using Seen = std::map<std::string, uint64_t>;

// main (counters 0 and 1) calls f (counter 2), which has the site 5.
struct Called {
  TestProgram program;
  CounterIndex f = Add(program);
  RecordedClasses classes = program.Classes();

  static CounterIndex Add(TestProgram& program) {
    ClassRecord& c = program.Class("P");
    program.Method(c, "main", {Static("P", "f")});
    const CounterIndex f = program.Method(c, "f");
    c.methods[1].first_site = 5;
    c.methods[1].sites = 1;
    return f;
  }
};

Seen SeenBy(const TypeCounts& types, uint32_t site) {
  Seen by_name;
  if (const TypeCounts::Site* const counts = types.Find(site)) {
    for (const auto& [type, count] : counts->types) by_name.emplace(types.TypeName(type), count);
  }
  return by_name;
}

TEST_CASE("classes at sites grow with their method", "[frozen_counts]") {
  const Called called;
  const CounterIndex f = called.f;
  const RecordedClasses& classes = called.classes;
  FrozenCounts counts;
  counts.Restart(std::vector<uint64_t>(3), 0);
  REQUIRE(counts.Freeze({classes, std::vector<uint64_t>{1, 10, 10}, 1}, std::array{f}).size() == 1);
  const std::vector<uint64_t> after{2, 40, 10};
  RawCounts estimate{after, {}};
  estimate.types.Add(5, "a.B", 6);
  estimate.types.Add(5, "a.C", 4);
  estimate.types.Add(4, "a.B", 1);
  counts.AddTo({classes, after, 2}, estimate);
  REQUIRE(estimate.types.Find(5) != nullptr);
  CHECK(estimate.types.Find(5)->types[0].second == 24);
  CHECK(estimate.types.Find(5)->types[1].second == 16);
  CHECK(estimate.types.Find(4)->types[0].second == 1);
}

TEST_CASE("a frozen method's sites see, per entry, what they saw before it froze",
          "[frozen_counts]") {
  const Called called;
  const CounterIndex f = called.f;
  const RecordedClasses& classes = called.classes;
  FrozenCounts counts;
  TypeCounts types;
  counts.Restart(std::vector<uint64_t>(3), 0, &types);
  types.Add(5, "a.B", 30);
  types.Add(5, "a.C", 10);
  REQUIRE(
      counts.Freeze({classes, std::vector<uint64_t>{1, 10, 10}, 1, &types}, std::array{f}).size() ==
      1);
  // After a reset nothing of it is in the recording, and three objects come late.
  counts.Restart(std::vector<uint64_t>{1, 10, 10}, 1, &types);
  const std::vector<uint64_t> after{2, 110, 10};
  RawCounts estimate{after, {}};
  estimate.types.Add(5, "a.D", 3);
  counts.AddTo({classes, after, 2, &types}, estimate);
  CHECK(SeenBy(estimate.types, 5) == Seen{{"a.B", 300}, {"a.C", 100}, {"a.D", 3}});
}

TEST_CASE("what a method's sites saw before it froze is kept apart, each time that it freezes",
          "[frozen_counts]") {
  const Called called;
  const CounterIndex f = called.f;
  const RecordedClasses& classes = called.classes;
  FrozenCounts counts;
  TypeCounts types;
  counts.Restart(std::vector<uint64_t>(3), 0, &types);
  const auto freeze = [&](const std::vector<uint64_t>& counters, double seconds) {
    return counts.Freeze({classes, counters, seconds, &types}, std::array{f}).size();
  };
  types.Add(5, "a.B", 10);
  REQUIRE(freeze({1, 10, 10}, 1) == 1);
  // 100 entries without probes, on objects of the first class.
  counts.Advance({classes, std::vector<uint64_t>{2, 110, 10}, 2, &types});
  counts.Thaw(std::array{f});
  // It counts 20 entries, on objects of another class, and freezes again.
  types.Add(5, "a.C", 20);
  REQUIRE(freeze({3, 130, 30}, 3) == 1);
  const auto seen = [&] {
    const std::vector<uint64_t> counters{4, 180, 30};
    RawCounts estimate{counters, {}};
    counts.AddTo({classes, counters, 4, &types}, estimate);
    CHECK(estimate.counters[2] == 180);
    return SeenBy(estimate.types, 5);
  };
  CHECK(seen() == Seen{{"a.B", 100}, {"a.C", 50}});
  // Asking changes nothing.
  CHECK(seen() == Seen{{"a.B", 100}, {"a.C", 50}});
  counts.Restart(std::vector<uint64_t>{4, 180, 30}, 4, &types);
  RawCounts forgotten{std::vector<uint64_t>{4, 180, 30}, {}};
  counts.AddTo(forgotten);
  CHECK(forgotten.types.Sites().empty());
}

TEST_CASE("a method with an estimate is named, even if it is for less than half a call",
          "[frozen_counts]") {
  TestProgram program;
  program.Method(program.Class("P"), "main", {Virtual("I", "f")});                           // 0, 1
  const CounterIndex left = program.Method(program.Class("L"), "f", {Static("Q", "loop")});  // 2, 3
  const CounterIndex right = program.Method(program.Class("R"), "f");                        // 4
  const RecordedClasses classes = program.Classes();
  FrozenCounts counts;
  counts.Restart(std::vector<uint64_t>(5), 0);
  REQUIRE(counts
              .Freeze({classes, std::vector<uint64_t>{1, 100, 40, 4000, 60}, 1},
                      std::array{left, right})
              .size() == 2);
  const std::vector<uint64_t> after{1, 101, 40, 4000, 60};
  RawCounts estimate{after, {}};
  CHECK(counts.AddTo({classes, after, 2}, estimate).at("L.f()void").calls == 1);
  CHECK(estimate.counters[3] == 4040);
  // Also once its class is gone.
  counts.Advance({classes, after, 2});
  counts.Release({left, 2}, {});
  RawCounts later{after, {}};
  CHECK(counts.AddTo(later).at("L.f()void").calls == 1);
}

TEST_CASE("methods that are gone and cannot be named any more are told", "[frozen_counts]") {
  TestProgram program;
  ClassRecord& c = program.Class("P");
  program.Method(c, "main", {Static("P", "f"), Static("P", "g"), Static("P", "h")});  // 0 to 3
  const CounterIndex f = program.Method(c, "f");                                      // 4
  const CounterIndex g = program.Method(c, "g");                                      // 5
  const CounterIndex h = program.Method(c, "h");                                      // 6
  const RecordedClasses classes = program.Classes();
  FrozenCounts counts(1);
  counts.Restart(std::vector<uint64_t>(7), 0);
  REQUIRE(counts
              .Freeze({classes, std::vector<uint64_t>{1, 10, 10, 10, 10, 10, 10}, 1},
                      std::array{f, g, h})
              .size() == 3);
  // There are more calls of f and g, but not of h.
  const std::vector<uint64_t> after{2, 20, 30, 10, 10, 10, 10};
  counts.Advance({classes, after, 2});
  std::vector<uint64_t> values{10, 10, 10};
  counts.Release({f, 3}, values);
  CHECK(values == std::vector<uint64_t>{20, 30, 10});
  RawCounts later{after, {}};
  CHECK(counts.AddTo(later) == MethodEstimates{{"P.f()void", {10, 10}}});
  CHECK(counts.unnamed() == 1);
  counts.Restart(after, 3);
  CHECK(counts.unnamed() == 0);
}

// What the site of f saw, whose class is unloaded after f froze and was called 30 times without probes.
Seen SeenByUnloaded(bool knows_objects, std::vector<uint64_t> values, bool ran = true) {
  const Called called;
  const CounterIndex f = called.f;
  const RecordedClasses& classes = called.classes;
  FrozenCounts counts;
  TypeCounts types;
  const TypeCounts* const known = knows_objects ? &types : nullptr;
  counts.Restart(std::vector<uint64_t>(3), 0, known);
  types.Add(5, "a.B", 6);
  types.Add(5, "a.C", 4);
  REQUIRE(
      counts.Freeze({classes, std::vector<uint64_t>{1, 10, 10}, 1, known}, std::array{f}).size() ==
      1);
  if (ran) counts.Advance({classes, std::vector<uint64_t>{2, 40, 10}, 2, known});
  counts.Release({f, 1}, values);
  TypeCounts seen;
  seen.AddAll(types);
  counts.ReleaseSite(5, seen);
  // Nothing is left for the next method that gets the site.
  TypeCounts next;
  counts.ReleaseSite(5, next);
  CHECK(next.Sites().empty());
  return SeenBy(seen, 5);
}

TEST_CASE("the sites of an unloaded class get their estimates, too", "[frozen_counts]") {
  CHECK(SeenByUnloaded(true, {10}) == Seen{{"a.B", 24}, {"a.C", 16}});
  // What they saw per entry is not known, so it grows with the counters.
  CHECK(SeenByUnloaded(false, {10}) == Seen{{"a.B", 24}, {"a.C", 16}});
  CHECK(SeenByUnloaded(false, {}) == Seen{{"a.B", 6}, {"a.C", 4}});
  CHECK(SeenByUnloaded(true, {10}, false) == Seen{{"a.B", 6}, {"a.C", 4}});
}

}  // namespace
}  // namespace iprof
