#include "agent/instrument/table/class_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <thread>

#include "writer/records/class_record_bytes.h"

namespace iprof::instrument {
namespace {

// A class with one method that has counters 10 to 12 and site 7.
ClassRecord Named(std::string_view name, uint64_t hash, uint32_t first = 10) {
  ClassRecord c;
  c.name = c.Keep(name);
  c.super_name = "java/lang/Object";
  c.hash = {.low = hash, .high = ~hash};
  CountedMethod method;
  method.name = "run";
  method.descriptor = "()V";
  method.counters = 3;
  method.first = CounterIndex{first};
  method.sites = 1;
  method.first_site = 7;
  method.rewritten = true;
  method.code_hash = 99;
  c.methods.push_back(method);
  c.sites.push_back({0, 4, 7, SiteKind::kMonitor});
  c.positions = {1, 2, 3};
  c.records = {5, 6};
  return c;
}

Hash128 HashOf(uint64_t low) { return {.low = low, .high = ~low}; }

ClassId Added(ClassTable& table, std::string_view name, uint64_t hash) {
  return table.Add(Named(name, hash)).id;
}

std::vector<std::pair<std::string, uint64_t>> Listed(ClassTable& table) {
  std::vector<std::pair<std::string, uint64_t>> list;
  const auto held = table.HoldAll();
  for (const ClassId id : held) {
    ClassRecord c;
    table.Decode(id, 0, 0, &c);
    list.emplace_back(c.name, c.hash.low);
  }
  table.ReleaseAll(held);
  return list;
}

// Takes out the only idle class.
std::optional<ClassTable::Taken> TakeIdleOut(ClassTable& table, ClassId* id = nullptr) {
  const auto idle = table.TakeIdle();
  if (idle.size() != 1) return std::nullopt;
  if (id != nullptr) *id = idle[0].id;
  return table.TakeOut(idle[0]);
}

TEST_CASE("a class keeps copies of names, long, short and empty ones") {
  ClassRecord c;
  CHECK(c.Keep("").empty());
  std::vector<std::pair<std::string, std::string_view>> kept;
  for (size_t i = 0; i < 3000; ++i) {
    std::string text(i % 7 == 0 ? 5000 : i % 90, static_cast<char>('a' + i % 26));
    const std::string_view copy = c.Keep(text);
    kept.emplace_back(std::move(text), copy);
  }
  for (const auto& [text, copy] : kept) {
    if (copy != text) FAIL("expected " << text << ", kept " << copy);
  }
}

TEST_CASE("a class is its name and its bytes") {
  ClassTable table;
  CHECK_FALSE(table.KnowsName("a/B"));
  const ClassId first = Added(table, "a/B", 1);
  const ClassId second = Added(table, "a/B", 2);
  const ClassId other = Added(table, "a/C", 1);
  CHECK(std::set{first, second, other}.size() == 3);
  const ClassTable::Added again = table.Add(Named("a/B", 1));
  CHECK(again.id == first);
  CHECK_FALSE(again.is_new);
  ClassRecord decoded;
  CHECK(table.Find("a/B", HashOf(1), &decoded) == first);
  CHECK(table.Find("a/B", HashOf(2), &decoded) == second);
  CHECK_FALSE(table.Find("a/C", HashOf(2), &decoded));
  CHECK_FALSE(table.Find("a/D", HashOf(1), &decoded));
  CHECK(table.KnowsName("a/B"));
  CHECK_FALSE(table.KnowsName("a"));
}

TEST_CASE("what is found is what was added") {
  ClassTable table;
  Added(table, "a/B", 1);
  ClassRecord found;
  REQUIRE(table.Find("a/B", HashOf(1), &found));
  CHECK(found.name == "a/B");
  CHECK(found.super_name == "java/lang/Object");
  REQUIRE(found.methods.size() == 1);
  const CountedMethod& method = found.methods[0];
  CHECK(method.name == "run");
  CHECK(method.descriptor == "()V");
  CHECK(method.counters == 3);
  CHECK(method.first == CounterIndex{10});
  CHECK(method.code_hash == 99);
  CHECK(method.rewritten);
  REQUIRE(found.sites.size() == 1);
  CHECK(found.sites[0].number == 7);
  CHECK(found.sites[0].bci == 4);
  CHECK(found.sites[0].kind == SiteKind::kMonitor);
  CHECK(found.positions == std::vector<uint8_t>{1, 2, 3});
  CHECK(found.records == std::vector<uint8_t>{5, 6});
}

TEST_CASE("classes that differ in their names and counters only share their content") {
  ClassTable table;
  for (uint32_t i = 0; i < 1000; ++i)
    table.Add(Named("generated/Class" + std::to_string(i), i, 10 * i));
  const ClassTable::Statistics statistics = table.statistics();
  CHECK(statistics.loaded == 1000);
  CHECK(statistics.contents == 1);
  CHECK(statistics.bytes / 1000 < 400);
  ClassRecord found;
  REQUIRE(table.Find("generated/Class77", HashOf(77), &found));
  CHECK(found.methods[0].first == CounterIndex{770});
}

TEST_CASE("the order of all classes does not depend on that of loading") {
  const std::vector<std::pair<std::string, uint64_t>> classes = {{"b", 2}, {"a", 1}, {"c", 3},
                                                                 {"b", 1}, {"a", 9}, {"b", 7}};
  ClassTable forwards, backwards;
  for (const auto& [name, hash] : classes) Added(forwards, name, hash);
  for (size_t i = classes.size(); i-- > 0;) Added(backwards, classes[i].first, classes[i].second);
  CHECK(Listed(forwards) == Listed(backwards));
  CHECK(Listed(forwards).size() == classes.size());
  CHECK(Listed(forwards).front().first == "a");
  CHECK(Listed(forwards).back().first == "c");
}

TEST_CASE("a class stays while one of its definitions does") {
  ClassTable table;
  const ClassId id = Added(table, "a/B", 1);
  table.Hold(id);
  table.Release(id);
  CHECK(table.TakeIdle().empty());
  table.Release(id);
  ClassId idle_id{};
  const auto taken = TakeIdleOut(table, &idle_id);
  REQUIRE(taken);
  CHECK(idle_id == id);
  REQUIRE(taken->counters.size() == 1);
  CHECK(taken->counters[0].first == CounterIndex{10});
  CHECK(taken->counters[0].count == 3);
  REQUIRE(taken->sites.size() == 1);
  CHECK(taken->sites[0].count == 1);
  ClassRecord found;
  CHECK_FALSE(table.Find("a/B", HashOf(1), &found));
  table.Unload(id, {});
  CHECK_FALSE(table.KnowsName("a/B"));
  CHECK(Listed(table).empty());
}

TEST_CASE("a class that is loaded again while it is idle is not taken out") {
  ClassTable table;
  const ClassId id = Added(table, "a/B", 1);
  table.Release(id);
  const auto idle = table.TakeIdle();
  REQUIRE(idle.size() == 1);
  ClassRecord found;
  CHECK(table.Find("a/B", HashOf(1), &found) == id);
  CHECK_FALSE(table.TakeOut(idle[0]));

  // After another release it is idle again.
  table.Release(id);
  const auto second = table.TakeIdle();
  REQUIRE(second.size() == 1);
  // It was loaded and released again while the caller waits for it, so the wait starts again.
  CHECK(table.Find("a/B", HashOf(1), &found) == id);
  table.Release(id);
  CHECK(table.TakeIdle().empty());
  CHECK_FALSE(table.TakeOut(second[0]));
  const auto third = table.TakeIdle();
  REQUIRE(third.size() == 1);
  CHECK(table.TakeOut(third[0]));
}

UnloadedCounts Counts(uint64_t count) {
  UnloadedCounts counts;
  counts.counters = {{0, count}, {2, 1}};
  counts.sites = {{0, 3, {{"x.Lock", count}}}};
  return counts;
}

void LoadAndUnload(ClassTable& table, std::string_view name, const UnloadedCounts& counts) {
  table.Release(Added(table, name, 1));
  ClassId id{};
  REQUIRE(TakeIdleOut(table, &id));
  table.Unload(id, counts);
}

TEST_CASE("the counts of a class outlive it, and add up when it comes again") {
  ClassTable table;
  LoadAndUnload(table, "a/B", Counts(5));
  LoadAndUnload(table, "a/B", Counts(6));
  CHECK(table.statistics().unloaded == 1);
  const auto all = table.HoldAll();
  REQUIRE(all.size() == 1);
  UnloadedCounts counts;
  REQUIRE(table.CountsOf(all[0], &counts));
  CHECK(counts.counters == std::vector<std::pair<uint32_t, uint64_t>>{{0, 11}, {2, 2}});
  REQUIRE(counts.sites.size() == 1);
  CHECK(counts.sites[0].lost == 6);
  CHECK(counts.sites[0].types == std::vector<std::pair<std::string, uint64_t>>{{"x.Lock", 11}});
  // Its counters are numbered from the reader's base.
  ClassRecord klass;
  table.Decode(all[0], 1000, 2000, &klass);
  CHECK(klass.methods[0].first == CounterIndex{1000});
  CHECK(klass.sites[0].number == 2000);
  table.ReleaseAll(all);

  // When loaded again it has new counters, and its old counts stay.
  CHECK(table.Add(Named("a/B", 1, 500)).is_new);
  CHECK(Listed(table).size() == 2);
}

TEST_CASE("a profile that is being made keeps what it reads") {
  ClassTable table;
  LoadAndUnload(table, "a/B", Counts(5));
  const auto held = table.HoldAll();
  LoadAndUnload(table, "a/B", Counts(6));
  UnloadedCounts counts;
  REQUIRE(table.CountsOf(held[0], &counts));
  CHECK(counts.counters[0].second == 5);
  table.ReleaseAll(held);
  CHECK(Listed(table).size() == 2);
}

TEST_CASE("the smallest counts of unloaded classes go first, and are told") {
  ClassTable table;
  table.LimitUnloaded(100'000);
  uint64_t largest = 0;
  for (uint64_t i = 1; i <= 2000; ++i) {
    LoadAndUnload(table, "generated/Class" + std::to_string(i), Counts(i));
    largest = std::max(largest, table.statistics().unloaded_bytes);
  }
  const ClassTable::Statistics statistics = table.statistics();
  CHECK(largest <= 100'000);
  CHECK(statistics.unloaded + statistics.forgotten == 2000);
  CHECK(statistics.forgotten > 0);
  CHECK(statistics.unloaded > 100);
  const auto listed = Listed(table);
  CHECK(std::count(listed.begin(), listed.end(),
                   std::pair<std::string, uint64_t>("generated/Class2000", 1)) == 1);
  CHECK(std::count(listed.begin(), listed.end(),
                   std::pair<std::string, uint64_t>("generated/Class1", 1)) == 0);
}

TEST_CASE("of a class that is forgotten others are told, but not while it is there again") {
  ClassTable table;
  std::vector<std::string> forgotten;
  table.OnForgotten([&](std::string_view name, const Hash128&) { forgotten.emplace_back(name); });
  LoadAndUnload(table, "a/Counted", Counts(5));
  LoadAndUnload(table, "a/Counted", {});
  CHECK(forgotten.empty());
  LoadAndUnload(table, "a/Unused", {});
  CHECK(forgotten == std::vector<std::string>{"a/Unused"});

  table.Release(Added(table, "a/Again", 1));
  ClassId id{};
  REQUIRE(TakeIdleOut(table, &id));
  Added(table, "a/Again", 1);  // loaded again before it was unloaded completely
  table.Unload(id, {});
  CHECK(forgotten.size() == 1);
}

// Unloads the only idle class, with one count.
void UnloadIdle(ClassTable& table, uint64_t count) {
  ClassId id{};
  REQUIRE(TakeIdleOut(table, &id));
  UnloadedCounts counts;
  if (count > 0) counts.counters.emplace_back(0, count);
  table.Unload(id, counts);
}

constexpr size_t kAll = 1000;

TEST_CASE("a copy of the table is told what it lacks") {
  ClassTable table;
  Added(table, "a/Before", 1);
  CHECK(table.TakeChanges(kAll).added.empty());  // there is no copy yet
  table.NoteChanges();
  const ClassId second = Added(table, "a/Second", 2);

  SECTION("in parts") {
    ClassTable::Changes changes = table.TakeChanges(1);
    CHECK(changes.has_more);
    REQUIRE(changes.added.size() == 1);
    CHECK(changes.added[0].number == 0);
    changes = table.TakeChanges(1);
    CHECK_FALSE(changes.has_more);
    REQUIRE(changes.added.size() == 1);
    CHECK(changes.added[0].number == 1);
    CHECK(changes.added[0].id == second);
    CHECK(table.TakeChanges(kAll).added.empty());
  }
  SECTION("that a class was unloaded which it has") {
    REQUIRE(table.TakeChanges(kAll).added.size() == 2);
    table.Release(second);
    UnloadIdle(table, 5);
    ClassTable::Changes changes = table.TakeChanges(kAll);
    CHECK(changes.added.empty());
    REQUIRE(changes.unloaded.size() == 1);
    CHECK(changes.unloaded[0].number == 1);
    CHECK(changes.unloaded[0].counts.Total() == 5);
    CHECK(changes.unloaded[0].record.empty());

    SECTION("and once more, under another number") {
      table.Release(Added(table, "a/Second", 2));
      REQUIRE(table.TakeChanges(kAll).added.at(0).number == 2);
      UnloadIdle(table, 3);
      changes = table.TakeChanges(kAll);
      REQUIRE(changes.unloaded.size() == 1);
      CHECK(changes.unloaded[0].number == 2);
      CHECK(changes.unloaded[0].counts.Total() == 3);
    }
    SECTION("and once more between two calls") {
      table.Release(Added(table, "a/Second", 2));
      UnloadIdle(table, 4);
      changes = table.TakeChanges(kAll);
      CHECK(changes.added.empty());
      REQUIRE(changes.unloaded.size() == 1);
      CHECK(changes.unloaded[0].number == 2);
      CHECK(changes.unloaded[0].counts.Total() == 4);
      ClassRecord record;
      size_t consumed = 0;
      REQUIRE(DecodeClassRecord(changes.unloaded[0].record, &record, &consumed) ==
              SealStatus::kRecord);
      CHECK(record.name == "a/Second");
    }
    SECTION("and a new copy gets the sum") {
      table.Release(Added(table, "a/Second", 2));
      table.NoteChanges();
      UnloadIdle(table, 4);
      changes = table.TakeChanges(kAll);
      REQUIRE(changes.added.size() == 2);
      CHECK(changes.unloaded.empty());
      UnloadedCounts counts;
      const bool first = table.CountsOf(changes.added[0].id, &counts);
      CHECK(first != table.CountsOf(changes.added[1].id, &counts));
      CHECK(counts.Total() == 9);
    }
    SECTION("and that these counts are void") {
      table.Release(Added(table, "a/Third", 3));
      REQUIRE(table.TakeChanges(kAll).added.at(0).number == 2);
      UnloadIdle(table, 6);
      table.Release(Added(table, "a/Fourth", 4));
      UnloadIdle(table, 7);
      table.ForgetUnloaded();
      changes = table.TakeChanges(kAll);
      CHECK(changes.forgets_unloaded);
      CHECK(changes.added.empty());
      REQUIRE(changes.unloaded.size() == 1);
      CHECK(changes.unloaded[0].number == 2);
      CHECK(changes.unloaded[0].counts.empty());
      CHECK_FALSE(table.TakeChanges(kAll).forgets_unloaded);
    }
  }
  SECTION("that a class without counts was unloaded, only if it has it") {
    table.TakeChanges(kAll);
    table.Release(second);
    UnloadIdle(table, 0);
    table.Release(Added(table, "a/Short", 3));
    UnloadIdle(table, 0);
    const ClassTable::Changes changes = table.TakeChanges(kAll);
    REQUIRE(changes.unloaded.size() == 1);
    CHECK(changes.unloaded[0].number == 1);
    CHECK(changes.unloaded[0].counts.empty());
  }
  SECTION("a class that was unloaded before it was told comes with its counts") {
    table.Release(second);
    UnloadIdle(table, 5);
    const ClassTable::Changes changes = table.TakeChanges(kAll);
    CHECK(changes.unloaded.empty());
    REQUIRE(changes.added.size() == 2);
    UnloadedCounts counts;
    REQUIRE(table.CountsOf(changes.added[1].id, &counts));
    CHECK(counts.Total() == 5);
  }
  SECTION("not of a class that came and went, whose entry another one has now") {
    table.TakeChanges(kAll);
    table.Release(Added(table, "a/Short", 3));
    UnloadIdle(table, 0);
    const ClassId reused = Added(table, "a/Next", 4);
    const ClassTable::Changes changes = table.TakeChanges(kAll);
    REQUIRE(changes.added.size() == 1);
    CHECK(changes.added[0].id == reused);
    CHECK(changes.unloaded.empty());
  }
  SECTION("everything, if it is a new copy") {
    table.TakeChanges(kAll);
    table.NoteChanges();
    const ClassTable::Changes changes = table.TakeChanges(kAll);
    REQUIRE(changes.added.size() == 2);
    CHECK(changes.added[0].number == 0);
  }
  SECTION("nothing, once there is none") {
    table.StopNotingChanges();
    Added(table, "a/Late", 5);
    CHECK(table.TakeChanges(kAll).added.empty());
  }
}

TEST_CASE("many classes that came and went leave nothing behind") {
  ClassTable table;
  size_t after_some = 0;
  for (uint32_t i = 0; i < 200'000; ++i) {
    LoadAndUnload(table, "generated/Class" + std::to_string(i), {});
    if (i == 1000) after_some = table.statistics().bytes;
  }
  CHECK(table.statistics().bytes <= after_some + 1024);
  CHECK(table.statistics().loaded == 0);
  CHECK(table.statistics().contents == 0);
  CHECK(table.statistics().dropped == 200'000);
}

TEST_CASE("all versions of a name are found, the newest first") {
  ClassTable table;
  Added(table, "a/B", 1);
  table.Release(Added(table, "a/B", 2));
  const auto all = [](std::string_view, std::string_view) { return true; };
  const auto hashes = [&](std::string_view name) {
    std::vector<Hash128> found;
    for (const ClassRecord& version : table.DecodeVersions(name, all))
      found.push_back(version.hash);
    return found;
  };
  CHECK(hashes("a/B") == std::vector{HashOf(2), HashOf(1)});
  ClassId id{};
  REQUIRE(TakeIdleOut(table, &id));
  table.Unload(id, {});
  CHECK(hashes("a/B") == std::vector{HashOf(1)});
  CHECK(hashes("a/C").empty());
  for (uint64_t i = 3; i < 100; ++i) Added(table, "a/B", i);
  CHECK(hashes("a/B").size() == ClassTable::kMostVersions);
  CHECK(hashes("a/B").front() == HashOf(99));
}

TEST_CASE("methods of a version are decoded without the others") {
  ClassTable table;
  ClassRecord two = Named("a/B", 1);
  CountedMethod other = two.methods[0];
  other.descriptor = "(I)V";
  other.first = CounterIndex{40};
  two.methods.push_back(other);
  table.Add(two);
  const auto takes_an_int = [](std::string_view, std::string_view d) { return d == "(I)V"; };
  const std::vector<ClassRecord> one = table.DecodeVersions("a/B", takes_an_int);
  REQUIRE(one.size() == 1);
  REQUIRE(one[0].methods.size() == 1);
  CHECK(one[0].methods[0].first == CounterIndex{40});
  CHECK(one[0].methods[0].descriptor == "(I)V");
  const auto walks = [](std::string_view method, std::string_view) { return method == "walk"; };
  const std::vector<ClassRecord> none = table.DecodeVersions("a/B", walks);
  REQUIRE(none.size() == 1);
  CHECK(none[0].methods.empty());
}

// A linear search through the versions would compare 5 * 10^9 hashes, which takes minutes.
TEST_CASE("a name with a hundred thousand versions is found as fast as any") {
  ClassTable table;
  for (uint64_t i = 0; i < 100'000; ++i) Added(table, "a/B", i);
  ClassRecord found;
  for (uint64_t i = 0; i < 100'000; ++i) {
    if (!table.Find("a/B", HashOf(i), &found)) FAIL("version " << i << " is missing");
  }
  CHECK(table.statistics().loaded == 100'000);
}

TEST_CASE("threads that add the same classes end up with the same ones") {
  constexpr uint64_t kClasses = 500;
  ClassTable table;
  std::vector<std::vector<ClassId>> seen(4);
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&] {
      for (uint64_t i = 0; i < kClasses; ++i)
        mine.push_back(Added(table, "c" + std::to_string(i / 2), i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : seen) CHECK(mine == seen[0]);
  CHECK(Listed(table).size() == kClasses);
}

}  // namespace
}  // namespace iprof::instrument
