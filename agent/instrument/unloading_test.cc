// Unloaded classes: their counts stay, and their counters are reused.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "agent/classfile/testing/assembled_class.h"
#include "agent/instrument/class_instrumenter.h"

namespace iprof::instrument {
namespace {

using Bytes = std::vector<uint8_t>;

uint64_t NoLiveFrames(const MethodKey&) { return 0; }

// A JVM's counters: the test sets what probes would have counted.
struct Jvm final : FreedCounters {
  CounterSpace space{100};
  MemoryBudget budget;
  ClassInstrumenter instrumenter;
  std::vector<uint64_t> counters = std::vector<uint64_t>(200);
  bool readable = true;

  Jvm()
      : instrumenter(
            {}, space, [](uint32_t chunk) { return "H" + std::to_string(chunk); }, &budget) {
    space.Configure(2, nullptr);
    space.SetReady(2);
  }

  bool Take(CounterRange range, std::vector<uint64_t>* values) override {
    if (!readable) return false;
    for (uint32_t i = 0; i < range.count; ++i) {
      uint64_t& counter = counters[static_cast<uint32_t>(range.first) + i];
      values->push_back(counter);
      counter = 0;
    }
    return true;
  }
  bool TakeSites(CounterRange, uint32_t, UnloadedCounts*) override { return true; }

  std::optional<ClassId> Load(const Bytes& bytes) {
    std::optional<ClassId> held;
    Bytes result;
    instrumenter.Instrument(
        {{}, bytes},
        [&](size_t size) {
          result.resize(size);
          return result.data();
        },
        &held);
    return held;
  }

  // The calls in the profile, "a.T.f(int)int: 5\n".
  std::string Calls() {
    Profile profile;
    instrumenter.AddTo(counters, TypeCounts(), NoLiveFrames, profile);
    std::vector<std::string> lines;
    for (uint32_t i = 0; i < profile.entry_count(Table::kCalls); ++i) {
      const EntryIndex e{i};
      const Frame frame = profile.InnermostFrame(profile.EntryContext(Table::kCalls, e));
      lines.push_back(profile.DescribeMethod(frame.method) + ": " +
                      std::to_string(profile.EntryCount(Table::kCalls, e)) + "\n");
    }
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const std::string& line : lines) text += line;
    return text;
  }
};

Bytes Countdown(std::string_view name) {
  return AssembledClass(name).Add({.descriptor = "(I)I", .code = CountdownCode()}).Bytes();
}

TEST_CASE("a class that goes leaves its counts and gives back its counters", "[unloading]") {
  Jvm jvm;
  const auto t = jvm.Load(Countdown("a/T"));
  REQUIRE(t);
  const uint64_t in_use = jvm.space.statistics().counters;
  REQUIRE(in_use > 0);
  jvm.counters[0] = 5;
  const std::string while_loaded = jvm.Calls();
  CHECK(while_loaded == "a.T.f(int)int: 5\n");

  jvm.instrumenter.Unload(jvm, 0);
  CHECK(jvm.space.statistics().counters == in_use);  // the class is still loaded
  jvm.instrumenter.Release(*t);
  jvm.instrumenter.Unload(jvm, 0);
  CHECK(jvm.space.statistics().counters == 0);
  CHECK(jvm.counters[0] == 0);
  CHECK(jvm.Calls() == while_loaded);

  // The next class gets the same counters, but only its own counts.
  REQUIRE(jvm.Load(Countdown("a/U")));
  jvm.counters[0] = 2;
  CHECK(jvm.Calls() == "a.T.f(int)int: 5\na.U.f(int)int: 2\n");

  // The first class again: its new counts are added to the old ones.
  const auto again = jvm.Load(Countdown("a/T"));
  REQUIRE(again);
  jvm.counters[in_use] = 10;
  CHECK(jvm.Calls() == "a.T.f(int)int: 15\na.U.f(int)int: 2\n");
}

TEST_CASE("a class that is loaded while counters are read has none of an unloaded class",
          "[unloading]") {
  Jvm jvm;
  const auto gone = jvm.Load(Countdown("a/T"));
  REQUIRE(gone);
  const size_t of_one = jvm.space.statistics().counters;
  jvm.counters[0] = 5;
  jvm.instrumenter.Release(*gone);
  jvm.instrumenter.Unload(jvm, 0);
  REQUIRE(jvm.Load(Countdown("a/U")));
  jvm.counters[0] = 2;
  jvm.counters.resize(of_one);  // the chunk of the next class was not there yet
  REQUIRE(jvm.Load(Countdown("a/V")));
  CHECK(jvm.Calls() == "a.T.f(int)int: 5\na.U.f(int)int: 2\n");
}

TEST_CASE("a class that two loaders define goes with the last of them", "[unloading]") {
  Jvm jvm;
  const auto one = jvm.Load(Countdown("a/T"));
  const auto other = jvm.Load(Countdown("a/T"));
  REQUIRE(one == other);
  jvm.instrumenter.Release(*one);
  jvm.instrumenter.Unload(jvm, 0);
  CHECK(jvm.space.statistics().counters > 0);
  jvm.instrumenter.Release(*other);
  jvm.instrumenter.Unload(jvm, 0);
  CHECK(jvm.space.statistics().counters == 0);
}

TEST_CASE("a profile that is made while a class waits does not keep it", "[unloading]") {
  Jvm jvm;
  const auto t = jvm.Load(Countdown("a/T"));
  jvm.counters[0] = 5;
  CHECK_FALSE(jvm.instrumenter.IsUnloadDue(0));
  jvm.instrumenter.Release(*t);
  CHECK(jvm.instrumenter.IsUnloadDue(0));
  const std::string counted = jvm.Calls();
  jvm.instrumenter.Unload(jvm, 0);
  CHECK(jvm.space.statistics().counters == 0);
  CHECK(jvm.Calls() == counted);
  CHECK_FALSE(jvm.instrumenter.IsUnloadDue(0));
}

TEST_CASE("more classes than there are counters may come and go", "[unloading]") {
  Jvm jvm;
  for (int i = 0; i < 1000; ++i) {
    const auto held = jvm.Load(Countdown("a/T" + std::to_string(i)));
    REQUIRE(held);
    jvm.instrumenter.Release(*held);
    jvm.instrumenter.Unload(jvm, 0);
  }
  CHECK(jvm.space.statistics().counters == 0);
  CHECK(jvm.space.statistics().refused_cap == 0);
  CHECK(jvm.instrumenter.classes().dropped == 1000);
  CHECK(jvm.instrumenter.classes().loaded == 0);
}

TEST_CASE("counters that cannot be zeroed are used no more", "[unloading]") {
  Jvm jvm;
  const auto held = jvm.Load(Countdown("a/T"));
  const uint64_t in_use = jvm.space.statistics().counters;
  jvm.readable = false;
  jvm.instrumenter.Release(*held);
  jvm.instrumenter.Unload(jvm, 0);
  CHECK(jvm.space.statistics().counters == in_use);
  CHECK(jvm.Calls().empty());
}

TEST_CASE("at the limit nothing new is learned, and what is known counts on", "[unloading]") {
  Jvm jvm;
  REQUIRE(jvm.Load(Countdown("a/T")));
  jvm.budget.SetLimit(1);
  CHECK_FALSE(jvm.Load(Countdown("a/U")));
  CHECK(jvm.budget.refusals() == 1);
  CHECK(jvm.Load(Countdown("a/T")));
  jvm.counters[0] = 5;
  CHECK(jvm.Calls() == "a.T.f(int)int: 5\n");
  CHECK_THAT(jvm.instrumenter.Summary({}),
             Catch::Contains("classes left alone: 1 (the memory limit, memory=, was reached)"));
}

}  // namespace
}  // namespace iprof::instrument
