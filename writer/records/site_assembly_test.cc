// Class counts of sites become entries in the profile's tables.
#include "writer/records/site_assembly.h"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "writer/records/method_lines.h"

namespace iprof {
namespace {

// One class with one method that has a receiver at bci 5, a monitor and a type check at bci 9.
struct Fixture {
  Fixture() {
    klass.name = klass.Keep("a/B");
    CountedMethod method;
    method.name = klass.Keep("run");
    method.descriptor = klass.Keep("()V");
    method.sites = 3;
    klass.methods.push_back(method);
    klass.sites = {{0, 5, 100, SiteKind::kReceiver},
                   {0, 7, 101, SiteKind::kMonitor},
                   {0, 9, 102, SiteKind::kInstanceOf}};
    profile.AddStandardTypes();
    const TypeIndex type = profile.AddType("a.B");
    index = profile.AddMethod("run", std::vector<TypeIndex>{type, profile.AddType("void")});
  }

  AssemblyResult Assemble(const AssemblyOptions& options = {.monitors = true}) {
    ContextEntries entries(nullptr, profile);
    SiteAssembly assembly(types, options, profile, entries);
    assembly.Add(klass, klass.methods[0], index);
    assembly.AddStaticMonitor(static_calls);
    assembly.WriteMonitors();
    AssemblyResult statistics;
    assembly.AddTo(statistics);
    return statistics;
  }

  // "java.lang.String 3, a.B 1": an entry's classes in their order.
  std::string Types(Table table, ContextIndex context) const {
    const auto entry = profile.FindEntry(table, context);
    if (!entry) return "(none)";
    std::string text;
    for (const TypeCount& t : profile.EntryTypeCounts(table, *entry)) {
      text += (text.empty() ? "" : ", ") + std::string(profile.TypeName(t.type)) + " " +
              std::to_string(t.count);
    }
    return text;
  }

  ClassRecord klass;
  TypeCounts types;
  Profile profile;
  MethodIndex index{};
  uint64_t static_calls = 0;
};

TEST_CASE_METHOD(Fixture, "A receiver's line and callee are noted", "[site_assembly]") {
  klass.methods[0].has_lines = true;
  CHECK(AppendLines(std::vector<LineStart>{{0, 12}, {6, 14}}, std::vector<uint32_t>{5, 7, 9},
                    &klass.lines));
  klass.targets = {{klass.Keep("java/util/List"), klass.Keep("get")}};
  klass.sites[0].target = 1;
  types.Add(100, "x.C", 1);
  types.Add(102, "x.C", 1);
  Assemble();
  CHECK(profile.notes().LineOf(index, 5) == 12);
  CHECK(profile.notes().CalleeOf(index, 5) == "java.util.List.get");
  CHECK(profile.notes().LineOf(index, 9) == 14);
  CHECK(profile.notes().CalleeOf(index, 9).empty());
  CHECK_FALSE(profile.notes().LineOf(index, 7));
}

TEST_CASE_METHOD(Fixture, "The sites of a method that was not counted at each call are multiplied",
                 "[site_assembly]") {
  types.Add(100, "x.A", 50);
  types.Add(100, "x.C", 100);
  types.AddLost(100, 1);
  types.Add(101, "x.D", 7);
  for (const char* const name : {"x.A", "x.B", "x.C", "x.D", "x.E", "x.F"}) types.Add(102, name, 2);
  ContextEntries entries(nullptr, profile);
  SiteAssembly assembly(types, {.monitors = true}, profile, entries);
  assembly.Add(klass, klass.methods[0], index, 2.5);
  assembly.WriteMonitors();
  CHECK(Types(Table::kVirtualInvokes, profile.AddContext(kNoContext, index, 5)) ==
        "x.C 250, x.A 125");
  CHECK(Types(Table::kInstanceOfs, profile.AddContext(kNoContext, index, 9)) ==
        "x.A 5, x.B 5, x.C 5, x.D 5, x.E 5, x.F 5");
  CHECK(Types(Table::kMonitors, profile.AddMonitorContext()) == "x.D 18");
}

TEST_CASE_METHOD(Fixture, "Receivers: busiest first, equals by name", "[site_assembly]") {
  types.Add(100, "x.C", 1);
  types.Add(100, "x.A", 5);
  types.Add(100, "x.B", 1);
  const auto statistics = Assemble();
  CHECK(Types(Table::kVirtualInvokes, profile.AddContext(kNoContext, index, 5)) ==
        "x.A 5, x.B 1, x.C 1");
  CHECK(statistics.sites_written == 1);
}

TEST_CASE_METHOD(Fixture, "A site that lost more than allowed is left out and named",
                 "[site_assembly]") {
  types.Add(100, "x.A", 97);
  types.AddLost(100, 3);
  types.Add(102, "x.A", 99);
  types.AddLost(102, 1);
  const auto statistics = Assemble();
  CHECK(Types(Table::kVirtualInvokes, profile.AddContext(kNoContext, index, 5)) == "(none)");
  CHECK(Types(Table::kInstanceOfs, profile.AddContext(kNoContext, index, 9)) == "x.A 99");
  CHECK(statistics.sites_left_out == 1);
  REQUIRE(statistics.sites_left_out_examples.size() == 1);
  CHECK(statistics.sites_left_out_examples[0] ==
        "a.B.run() at bci 5: 3 of 100 objects of unknown class");
}

TEST_CASE_METHOD(Fixture, "The rest of a site that is kept is noted, as a share of all its objects",
                 "[site_assembly]") {
  types.Add(100, "x.A", 80);
  types.Add(100, "x.B", 9);
  types.AddLost(100, 11);
  types.Add(102, "x.A", 5);
  const auto statistics = Assemble({.max_lost = kMostLostHarvest});
  CHECK(statistics.sites_left_out == 0);
  CHECK(Types(Table::kVirtualInvokes, profile.AddContext(kNoContext, index, 5)) == "x.A 80, x.B 9");
  CHECK(profile.notes().RestOf(index, 5) == 110);
  CHECK(profile.notes().RestOf(index, 9) == 0);
}

TEST_CASE_METHOD(Fixture, "The same site is left out of exact counts", "[site_assembly]") {
  types.Add(100, "x.A", 80);
  types.Add(100, "x.B", 9);
  types.AddLost(100, 11);
  CHECK(Assemble().sites_left_out == 1);
  CHECK(profile.notes().empty());
}

TEST_CASE_METHOD(Fixture, "Monitors are one entry, with the calls of static synchronized methods",
                 "[site_assembly]") {
  types.Add(101, "x.Lock", 4);
  types.AddLost(101, 2);
  static_calls = 9;
  const auto statistics = Assemble();
  CHECK(Types(Table::kMonitors, profile.AddMonitorContext()) == "java.lang.Class 9, x.Lock 4");
  CHECK(statistics.monitors_lost == 2);
}

TEST_CASE_METHOD(Fixture, "monitors=n: no calls of static synchronized methods either",
                 "[site_assembly]") {
  static_calls = 9;
  Assemble({.monitors = false});
  CHECK(profile.entry_count(Table::kMonitors) == 0);
}

TEST_CASE_METHOD(
    Fixture,
    "The counts of a site belong to one place, so that a small file cannot fill the memory",
    "[site_assembly]") {
  klass.sites[2].number = 100;
  for (const char* type : {"x.A", "x.B", "x.C", "x.D", "x.E"}) types.Add(100, type, 1);
  const auto statistics = Assemble();
  CHECK(Types(Table::kVirtualInvokes, profile.AddContext(kNoContext, index, 5)) ==
        "x.A 1, x.B 1, x.C 1, x.D 1, x.E 1");
  CHECK(Types(Table::kInstanceOfs, profile.AddContext(kNoContext, index, 9)) == "(none)");
  CHECK(statistics.damaged_records == 1);
}

TEST_CASE("without counters the busier of two versions is the one whose sites met more objects",
          "[site_assembly]") {
  const auto version = [](uint64_t code_hash, uint32_t site) {
    auto klass = std::make_unique<ClassRecord>();
    klass->name = klass->Keep("a/B");
    CountedMethod method;
    method.name = klass->Keep("run");
    method.descriptor = klass->Keep("()V");
    method.code_hash = code_hash;
    method.sites = 1;
    method.rewritten = true;
    klass->methods.push_back(method);
    klass->sites = {{0, 5, site, SiteKind::kReceiver}};
    return klass;
  };
  const auto quiet = version(1, 100);
  const auto busy = version(2, 200);
  TypeCounts types;
  types.Add(100, "x.Quiet", 1);
  types.Add(200, "x.Busy", 50);
  const LiveFrameCount no_frames = [](const MethodKey&) -> uint64_t { return 0; };
  for (const auto& order : {std::vector<const ClassRecord*>{quiet.get(), busy.get()},
                            std::vector<const ClassRecord*>{busy.get(), quiet.get()}}) {
    Profile profile;
    profile.AddStandardTypes();
    const AssemblyResult statistics =
        AssembleProfile(RecordedClasses(order), {{}, types, no_frames}, {}, profile);
    CHECK(statistics.versions_dropped == 1);
    REQUIRE(profile.entry_count(Table::kVirtualInvokes) == 1);
    const auto counts = profile.EntryTypeCounts(Table::kVirtualInvokes, EntryIndex{0});
    REQUIRE(counts.size() == 1);
    CHECK(profile.TypeName(counts[0].type) == "x.Busy");
  }
}

}  // namespace
}  // namespace iprof
