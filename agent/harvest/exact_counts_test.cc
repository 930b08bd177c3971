#include "agent/harvest/exact_counts.h"

#include <array>
#include <catch2/catch.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/harvest/estimate.h"

namespace iprof::vm {
namespace {

using classfile::Op;
using hotspot::HarvestedClass;
using hotspot::HarvestedMethod;

// a.Main.main()V is counted exactly. It calls b.Base.area()V, which b.One and b.Two implement, and the
// static c.Leaf.leaf()V. None of these is. The running code begins with a probe of four bytes.
class Program {
 public:
  static constexpr Bci kProbe = 4;

  explicit Program(std::vector<uint8_t> code, uint64_t entries = 1) {
    Class("a/Main");
    main_ = Method("main", 0);
    Class("b/Base", hotspot::kNoClass, 0x401);
    Class("b/One", 1);
    one_ = Method("area", 50);
    Class("b/Two", 1);
    two_ = Method("area", 50);
    Class("c/Leaf");
    leaf_ = Method("leaf", 50);
    code.insert(code.begin(), kProbe, 0);
    auto instructions = hotspot::SplitCode(code);
    REQUIRE(instructions);
    made.codes.push_back({main_, {std::move(code), std::move(*instructions)}});
    counted.AddStandardTypes();
    const std::array signature{counted.AddType("a.Main"), counted.AddType("void")};
    profiled_ = counted.AddMethod("main", signature);
    counted.AddCount(Table::kCalls, At(0), static_cast<int64_t>(entries));
  }

  // HotSpot counted the call's block so often. Positions are those of the class file.
  void Call(Bci bci, Op op, std::string_view owner, std::string_view name, uint64_t count) {
    made.methods[main_].calls.push_back(
        {static_cast<uint32_t>(bci + kProbe), op, owner, name, "()V", count});
  }
  void Receivers(Bci bci, const std::vector<std::pair<std::string_view, int64_t>>& classes) {
    std::vector<TypeCount> counts;
    for (const auto& [name, count] : classes) counts.push_back({counted.AddType(name), count});
    counted.AddTypeCounts(Table::kVirtualInvokes, At(bci), counts);
  }
  void Outcomes(Bci bci, const std::vector<Successor>& outcomes) {
    counted.AddSuccessors(At(bci), outcomes);
  }

  // A second loader defines a.Main, too, and HotSpot counted so many calls of it.
  uint32_t LoadAgain(uint64_t invocations) {
    std::vector<hotspot::HarvestedCall> calls = main().calls;
    hotspot::OriginalCode code = made.codes[0].code;
    Class("a/Main");
    made.classes.back().loader = 1;
    const uint32_t again = Method("main", invocations);
    made.methods[again].calls = std::move(calls);
    made.codes.push_back({again, std::move(code)});
    return again;
  }

  ExactCounts Exact() const {
    return {counted, [](std::string_view name) { return name == "a/Main"; }};
  }

  struct Calls {
    uint64_t one, two, leaf;
    bool operator==(const Calls&) const = default;
  };
  Calls Estimate(bool knows_positions = true) {
    ExactCounts exact = Exact();
    exact.FillCalls(made);
    exact.FillSites(
        [&](std::span<RunningSite> sites) {
          for (RunningSite& site : sites) {
            CHECK(site.class_descriptor == "La/Main;");
            if (knows_positions) site.original = site.running - kProbe;
          }
        },
        {}, made);
    const hotspot::Estimate estimate = hotspot::EstimateCalls(made);
    return {estimate.scales[one_].calls, estimate.scales[two_].calls, estimate.scales[leaf_].calls};
  }

  HarvestedMethod& main() { return made.methods[main_]; }

  hotspot::HarvestedProgram made;
  Profile counted;

 private:
  void Class(std::string_view name, uint32_t super = hotspot::kNoClass, uint16_t access = 1) {
    HarvestedClass klass;
    klass.name = klass.stable_name = name;
    klass.super = super;
    klass.access = access;
    klass.first_method = static_cast<uint32_t>(made.methods.size());
    made.classes.push_back(klass);
  }
  uint32_t Method(std::string_view name, uint64_t invocations) {
    HarvestedMethod method;
    method.klass = static_cast<uint32_t>(made.classes.size() - 1);
    method.name = name;
    method.descriptor = "()V";
    method.invocations = invocations;
    ++made.classes.back().methods;
    made.methods.push_back(method);
    return static_cast<uint32_t>(made.methods.size() - 1);
  }
  ContextIndex At(Bci bci) { return counted.AddContext(kNoContext, profiled_, bci); }

  uint32_t main_ = 0, one_ = 0, two_ = 0, leaf_ = 0;
  MethodIndex profiled_{};
};

// 0: aload_0; 1: invokevirtual; 4: return
const std::vector<uint8_t> kVirtual = {42, 182, 0, 1, 177};
// 0: iload_0; 1: ifeq 7; 4: invokestatic; 7: return
const std::vector<uint8_t> kIf = {26, 153, 0, 6, 184, 0, 1, 177};

// a.Exact.run(int) with so many calls.
Profile RunOfExactCalled(int64_t calls) {
  Profile counted;
  counted.AddStandardTypes();
  const std::array signature{counted.AddType("a.Exact"), counted.AddType("void"),
                             counted.AddType("int")};
  const MethodIndex run = counted.AddMethod("run", signature);
  counted.AddCount(Table::kCalls, counted.AddContext(kNoContext, run, 0), calls);
  return counted;
}

TEST_CASE("exact receivers say how often each callee was called") {
  Program program(kVirtual);
  program.Call(1, Op::invokevirtual, "b/Base", "area", 110);
  program.Receivers(1, {{"b.One", 900}, {"b.Two", 100}});
  CHECK(program.Estimate() == Program::Calls{900, 100, 50});
}

TEST_CASE("a class that two loaders define passes on its exact receivers once") {
  Program program(kVirtual);
  program.Call(1, Op::invokevirtual, "b/Base", "area", 110);
  program.Receivers(1, {{"b.One", 900}, {"b.Two", 100}});
  program.LoadAgain(0);
  CHECK(program.Estimate() == Program::Calls{900, 100, 50});
}

TEST_CASE("exact receivers are those of the copy of a class that HotSpot counted most") {
  Program program(kVirtual);
  program.Call(1, Op::invokevirtual, "b/Base", "area", 0);
  program.Receivers(1, {{"b.One", 900}, {"b.Two", 100}});
  const uint32_t again = program.LoadAgain(1);
  CHECK(program.Estimate() == Program::Calls{900, 100, 50});
  CHECK_FALSE(program.main().calls[0].exact_count);
  CHECK(program.made.methods[again].calls[0].exact_count == 1000);
}

TEST_CASE("a call site with one exact receiver needs no counts of HotSpot") {
  Program program(kVirtual);
  program.Call(1, Op::invokevirtual, "b/Base", "area", 0);
  program.Receivers(1, {{"b.One", 1000}});
  CHECK(program.Estimate() == Program::Calls{1000, 50, 50});
}

TEST_CASE("exact receivers replace HotSpot's rows of the same site, and no others") {
  Program program(kVirtual);
  program.Call(1, Op::invokevirtual, "b/Base", "area", 110);
  program.Receivers(1, {{"b.One", 1000}});
  program.main().types = {{.bci = 5, .is_call = true, .rows = {{3, 110}}},
                          {.bci = 9, .is_call = false, .rows = {{2, 7}}}};
  CHECK(program.Estimate() == Program::Calls{1000, 50, 50});
  REQUIRE(program.main().types.size() == 2);
  CHECK(program.main().types[0].rows == hotspot::HarvestedTypes::Rows{{2, 1000}});
  CHECK(program.main().types[1].bci == 9);
}

TEST_CASE("exact branches say how often a block was executed") {
  Program program(kIf, 1000);
  program.main().has_data = true;
  program.main().data_invocations = 10;
  program.Call(4, Op::invokestatic, "c/Leaf", "leaf", 5);
  program.Outcomes(1, {{7, 0, 700}, {4, 1, 300}});
  CHECK(program.Estimate() == Program::Calls{50, 50, 300});
}

TEST_CASE("where a branch is not in the profile, HotSpot's share goes on") {
  Program program(kIf, 1000);
  program.main().has_data = true;
  program.main().data_invocations = 10;
  program.Call(4, Op::invokestatic, "c/Leaf", "leaf", 5);
  CHECK(program.Estimate() == Program::Calls{50, 50, 500});
}

TEST_CASE("where positions are unknown, HotSpot's counts go on") {
  Program program(kVirtual, 1000);
  program.main().has_data = true;
  program.main().data_invocations = 110;
  program.main().types = {{.bci = 5, .is_call = true, .rows = {{3, 110}}}};
  program.Call(1, Op::invokevirtual, "b/Base", "area", 110);
  program.Receivers(1, {{"b.One", 1000}});
  CHECK(program.Estimate(/*knows_positions=*/false) == Program::Calls{50, 1000, 50});
}

TEST_CASE("what is not filled in time keeps HotSpot's counts") {
  Program program(kVirtual);
  program.Call(1, Op::invokevirtual, "b/Base", "area", 110);
  program.Receivers(1, {{"b.One", 900}, {"b.Two", 100}});
  int asked = 0;
  ExactCounts exact = program.Exact();
  exact.FillCalls(program.made);
  exact.FillSites([](std::span<RunningSite>) { FAIL("was stopped"); }, [&] { return ++asked > 0; },
                  program.made);
  CHECK(asked == 1);
  CHECK_FALSE(program.main().calls[0].exact_count);
  CHECK(program.main().types.empty());
}

TEST_CASE("code is needed of methods with counts") {
  Program program(kVirtual);
  const auto needed = [&] {
    return program.Exact().NeedsCodeOf(program.made.classes[0], program.main());
  };
  CHECK(needed());
  program.main().name = "other";
  CHECK_FALSE(needed());
  // It was called once before its calls were counted, and still loops.
  const std::array signature{program.counted.AddType("a.Main"), program.counted.AddType("void")};
  const MethodIndex other = program.counted.AddMethod("other", signature);
  CHECK_FALSE(needed());
  program.counted.AddSuccessors(program.counted.AddContext(kNoContext, other, 1),
                                std::vector<Successor>{{7, 0, 700}, {4, 1, 300}});
  CHECK(needed());
  program.made.classes[0].stable_name = {};
  CHECK_FALSE(needed());
}

TEST_CASE("a receiver that the harvest does not know is one of the others") {
  Program program(kVirtual);
  program.Call(1, Op::invokevirtual, "b/Base", "area", 0);
  program.Receivers(1, {{"b.One", 600}, {"b.Gone", 400}});
  CHECK(program.Estimate() == Program::Calls{600, 400, 50});
}

// --- Calls alone.

void AddClass(hotspot::HarvestedProgram& program, std::string_view name) {
  HarvestedClass klass;
  klass.name = klass.stable_name = name;
  klass.first_method = static_cast<uint32_t>(program.methods.size());
  program.classes.push_back(klass);
}

HarvestedMethod& AddMethod(hotspot::HarvestedProgram& program, std::string_view name,
                           uint64_t invocations) {
  HarvestedMethod method;
  method.klass = static_cast<uint32_t>(program.classes.size() - 1);
  method.name = name;
  method.descriptor = "(I)V";
  method.has_data = true;
  method.invocations = method.data_invocations = invocations;
  ++program.classes.back().methods;
  program.methods.push_back(method);
  return program.methods.back();
}

TEST_CASE("exact calls replace HotSpot's, and what they pass on is on their scale") {
  hotspot::HarvestedProgram program;
  AddClass(program, "a/Exact");
  // HotSpot stopped after 100 of 10,000 calls, each of which calls the next method twice.
  AddMethod(program, "run", 100)
      .calls.push_back({5, classfile::Op::invokestatic, "b/Rest", "leaf", "(I)V", 200});
  AddMethod(program, "never", 50);
  AddClass(program, "b/Rest");
  // It calls back into the class with exact counts, which must stay as they are.
  AddMethod(program, "leaf", 150)
      .calls.push_back({5, classfile::Op::invokestatic, "a/Exact", "run", "(I)V", 1500});

  const Profile counted = RunOfExactCalled(10'000);
  ExactCounts exact(counted, [](std::string_view name) { return name == "a/Exact"; });
  CHECK(exact.FillCalls(program) == 1);
  CHECK(program.methods[0].is_exact);
  CHECK(program.methods[1].invocations == 0);
  CHECK_FALSE(program.methods[2].is_exact);
  const hotspot::Estimate estimate = hotspot::EstimateCalls(program);
  CHECK(estimate.scales[0].calls == 10'000);
  CHECK(estimate.scales[1].calls == 0);
  CHECK(estimate.scales[2].calls == 20'000);
}

TEST_CASE("of classes with one name, the most counted passes on the calls, and the others none") {
  hotspot::HarvestedProgram program;
  // The first is a previous version, and the second was just loaded by a newer loader.
  for (const uint64_t invocations : {900u, 3u, 100u, 100u}) {
    AddClass(program, "a/Exact");
    program.classes.back().loader = program.classes.size();
    program.classes.back().is_previous_version = program.classes.size() == 1;
    AddMethod(program, "run", invocations)
        .calls.push_back(
            {5, classfile::Op::invokestatic, "b/Rest", "leaf", "(I)V", 2 * invocations});
  }
  AddClass(program, "b/Rest");
  AddMethod(program, "leaf", 150);

  const Profile counted = RunOfExactCalled(10'000);
  ExactCounts exact(counted, [](std::string_view name) { return name == "a/Exact"; });
  CHECK(exact.FillCalls(program) == 1);
  std::vector<uint64_t> calls;
  for (size_t m = 0; m < 4; ++m) {
    CHECK(program.methods[m].is_exact);
    calls.push_back(program.methods[m].invocations);
  }
  CHECK(calls == std::vector<uint64_t>{0, 0, 10'000, 0});
  CHECK(hotspot::EstimateCalls(program).scales[4].calls == 20'000);
}

}  // namespace
}  // namespace iprof::vm
