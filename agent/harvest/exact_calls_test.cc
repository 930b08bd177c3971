#include "agent/harvest/exact_calls.h"

#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "agent/harvest/estimate.h"
#include "agent/harvest/names_in_profile.h"

namespace iprof::vm {
namespace {

using hotspot::HarvestedClass;
using hotspot::HarvestedMethod;

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

  Profile counted;
  counted.AddStandardTypes();
  const std::array signature{counted.AddType("a.Exact"), counted.AddType("void"),
                             counted.AddType("int")};
  const MethodIndex run = counted.AddMethod("run", signature);
  counted.AddCount(Table::kCalls, counted.AddContext(kNoContext, run, 0), 10'000);

  CHECK(SetExactCalls(
            counted, ClassesOf(counted, program),
            [](std::string_view name) { return name == "a/Exact"; }, program) == 1);
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

  Profile counted;
  counted.AddStandardTypes();
  const std::array signature{counted.AddType("a.Exact"), counted.AddType("void"),
                             counted.AddType("int")};
  const MethodIndex run = counted.AddMethod("run", signature);
  counted.AddCount(Table::kCalls, counted.AddContext(kNoContext, run, 0), 10'000);

  CHECK(SetExactCalls(
            counted, ClassesOf(counted, program),
            [](std::string_view name) { return name == "a/Exact"; }, program) == 1);
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
