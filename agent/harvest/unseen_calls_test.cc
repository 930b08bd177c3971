// Calls that no code of the program shows: guessed ones, and those through handles.
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "agent/harvest/estimate.h"
#include "agent/harvest/named_program.h"

namespace iprof::hotspot {
namespace {

using classfile::Op;
using Program = NamedProgram;

TEST_CASE("a guessed loop passes on its calls, except where receivers would be guessed, too") {
  Program program;
  const uint32_t base = program.Class("Base", kNoClass, 0x401);
  program.Class("One", base);
  const uint32_t one_run = program.Method("run", 700);
  program.Class("Two", base);
  program.Method("run", 100);
  program.Class("Main");
  const uint32_t leaf = program.Method("leaf", 3'000);
  const uint32_t main = program.Method("main", 2, /*has_data=*/false);
  program.Call(main, Op::invokevirtual, "Base", "run", 10'000);
  program.Call(main, Op::invokestatic, "Main", "leaf", 20'000);
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[main].calls == 2);
  CHECK(estimate.scales[leaf].calls == 20'000);
  CHECK(estimate.scales[one_run].calls == 700);
}

TEST_CASE("a guessed loop does not call what the interpreter never called") {
  Program program;
  program.Class("Main");
  const uint32_t main = program.Method("main", 2, /*has_data=*/false);
  const uint32_t never = program.Method("never", 0, /*has_data=*/false);
  program.made.methods[never].never_ran = true;
  const uint32_t never_virtual = program.Method("neverVirtual", 0, /*has_data=*/false);
  program.made.methods[never_virtual].never_ran = true;
  const uint32_t inlined = program.Method("inlined", 0, /*has_data=*/false);
  program.Call(main, Op::invokestatic, "Main", "never", 10'000);
  program.Call(main, Op::invokevirtual, "Main", "neverVirtual", 10'000);
  program.Call(main, Op::invokestatic, "Main", "inlined", 10'000);
  const uint32_t counted = program.Method("counted", 10);
  program.Call(counted, Op::invokestatic, "Main", "never", 5);
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[never].calls == 5);  // compiled code called it
  CHECK(estimate.scales[never_virtual].calls == 0);
  CHECK(estimate.scales[inlined].calls == 10'000);
}

// "run" was counted 1,000 times and called 10,000 times; it calls through a handle whose target is
// not known. The handle's code was counted 40,000 times, and its target `counted` times.
struct ThroughHandle {
  explicit ThroughHandle(uint64_t counted) {
    program.Class("Main");
    const uint32_t main = program.Method("main", 1);
    const uint32_t run = program.Method("run", 1000);
    program.Call(main, Op::invokestatic, "Main", "run", 10'000);
    program.Call(run, Op::invokedynamic, "", "call", 3000);
    target = program.Method("target", counted);
    program.made.methods[target].access = 9;
    callee = program.Method("callee", 1);
    program.Call(target, Op::invokestatic, "Main", "callee", 2 * counted);
    program.Class("java/lang/invoke/LambdaForm$DMH");
    form = program.Method("invokeStatic", 40'000);
    program.made.methods[form].descriptor = "(Ljava/lang/Object;)V";
    program.Call(form, Op::invokestatic, "java/lang/invoke/MethodHandle", "linkToStatic", 40'000);
    program.made.methods[form].calls.back().descriptor = "(Ljava/lang/Object;)V";
  }
  Program program;
  uint32_t target, callee, form;
};

TEST_CASE("what handles call grows as the sites that call through handles") {
  const ThroughHandle handle(2000);
  const Estimate estimate = EstimateCalls(handle.program.made);
  CHECK(estimate.scales[handle.form].calls == 400'000);
  CHECK(estimate.scales[handle.target].calls == 20'000);
  CHECK(estimate.scales[handle.callee].calls == 40'000);
}

TEST_CASE("what only handles can have called more often than it was counted is guessed") {
  const ThroughHandle grown(2000);
  const auto sureness = [](const ThroughHandle& handle, uint32_t method) {
    return EstimateCalls(handle.program.made).scales[method].sureness;
  };
  for (const uint32_t method : {grown.form, grown.target, grown.callee})
    CHECK(sureness(grown, method) == Sureness::EstimatedFrom(0));
  const ThroughHandle counted(50'000);
  CHECK(sureness(counted, counted.target) == Sureness::Bounded());
  CHECK(sureness(counted, counted.callee) == Sureness::Bounded());
}

// What the target calls calls through handles itself, so each growth raises the next.
TEST_CASE("sites that are reached through handles do not raise their own growth without end") {
  ThroughHandle handle(2000);
  Program& program = handle.program;
  program.Class("Inner");
  const uint32_t inner = program.Method("inner", 100);
  program.Call(handle.target, Op::invokestatic, "Inner", "inner", 20'000);
  program.Call(inner, Op::invokedynamic, "", "call", 100);
  const Estimate estimate = EstimateCalls(program.made);
  // 3,100 executions of sites were counted; run and inner made 10 and 200 times as many.
  CHECK(estimate.scales[handle.target].calls == Approx(2000 * 50'000 / 3100).epsilon(0.01));
}

TEST_CASE("a method that handles did not call more often than it was counted is left alone") {
  const ThroughHandle handle(50'000);
  const Estimate estimate = EstimateCalls(handle.program.made);
  CHECK(estimate.scales[handle.target].calls == 50'000);
}

// Ten accessors of reflection have the shape of what handles call, and make all calls of a site whose counts stopped early.
TEST_CASE("methods of a shape grow to as many calls as handles were counted to make") {
  Program program;
  program.Class("Main");
  const uint32_t site = program.Method("site", 1000);
  program.Call(site, Op::invokedynamic, "", "call", 1000);
  std::vector<uint32_t> accessors;
  for (int a = 0; a < 10; ++a) {
    program.Class("Accessor");
    accessors.push_back(program.Method("invoke", 10'000));
    program.made.methods.back().access = 9;
    program.Call(accessors.back(), Op::invokestatic, "Main", "site", 10'000);
  }
  program.Class("java/lang/invoke/LambdaForm$DMH");
  const uint32_t form = program.Method("invokeStatic", 120'000);
  program.Call(form, Op::invokestatic, "java/lang/invoke/MethodHandle", "linkToStatic", 120'000);
  program.made.methods[form].calls.back().descriptor = "(Ljava/lang/Object;)V";
  const Estimate estimate = EstimateCalls(program.made);
  for (const uint32_t accessor : accessors) CHECK(estimate.scales[accessor].calls == 12'000);
  CHECK(estimate.scales[site].calls == 120'000);
}

TEST_CASE("an intrinsic takes no part of the calls that handles were counted to make") {
  ThroughHandle handle(2000);
  const uint32_t cast = handle.program.Method("cast", 50'000);
  handle.program.made.methods[cast].access = 9;
  handle.program.made.methods[cast].intrinsic = 1;
  const Estimate estimate = EstimateCalls(handle.program.made);
  CHECK(estimate.scales[handle.target].calls == 20'000);
  CHECK(estimate.scales[cast].calls == 500'000);
}

TEST_CASE("a site whose MethodData is young does not raise the parts of handles") {
  ThroughHandle handle(2000);
  const uint32_t run = 1;
  HarvestedMethod& site = handle.program.made.methods[run];
  site.invocations = 10'000;
  site.data_invocations = site.calls[0].block_count = 10;
  const uint32_t cast = handle.program.Method("cast", 50'000);
  handle.program.made.methods[cast].access = 9;
  handle.program.made.methods[cast].intrinsic = 1;
  const Estimate estimate = EstimateCalls(handle.program.made);
  CHECK(estimate.scales[run].calls == 10'000);
  CHECK(estimate.scales[handle.form].calls == 40'000);
  CHECK(estimate.scales[cast].calls == 50'000);
}

TEST_CASE("a method's calls by itself are not called unseen") {
  ThroughHandle handle(2000);
  Program& program = handle.program;
  program.Class("Other");
  // 300 calls from outside, each with 254 more by itself.
  const uint32_t build = program.Method("build", 76'500);
  program.Call(build, Op::invokestatic, "Other", "build", 76'200);
  program.Call(0, Op::invokestatic, "Other", "build", 300);
  // Of each two calls, one is by itself, and handles make the other.
  const uint32_t half = program.Method("half", 4000);
  program.made.methods[half].access = 9;
  program.Call(half, Op::invokestatic, "Other", "half", 2000);
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[build].calls == 76'500);
  CHECK(estimate.scales[half].calls == Approx(36'000).epsilon(0.1));
}

TEST_CASE(
    "a target that is known grows as its site, and the others as sites without known targets") {
  ThroughHandle handle(2000);
  Program& program = handle.program;
  const uint32_t known = program.Method("known", 10);
  const uint32_t run = 1;
  program.made.methods[run].calls[0].has_targets = true;
  program.made.handle_calls.push_back({.caller = run, .callee = known, .count = 3000});
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[known].calls == 30'000);
  CHECK(estimate.scales[handle.form].calls == 400'000);  // all sites call what handles are made of
  CHECK(estimate.scales[handle.target].calls == 2000);
}

TEST_CASE("a virtual method behind a handle is that of the bound object, or of any") {
  Program program;
  program.Class("Main");
  const uint32_t main = program.Method("main", 1);
  const uint32_t base = program.Class("Base", kNoClass, 0x401);
  const uint32_t base_run = program.Method("run", 1);
  program.made.methods[base_run].access = 0x401;
  const uint32_t one = program.Class("One", base);
  const uint32_t one_run = program.Method("run", 100);
  program.Class("Two", base);
  const uint32_t two_run = program.Method("run", 300);
  program.made.handle_calls = {
      {.caller = main, .callee = base_run, .receiver = one, .is_virtual = true, .count = 6000},
      {.caller = main, .callee = base_run, .is_virtual = true, .count = 1000}};
  const Estimate estimate = EstimateCalls(program.made);
  CHECK(estimate.scales[one_run].calls == Approx(6000).epsilon(0.01));
  CHECK(estimate.scales[two_run].calls == Approx(1000).epsilon(0.01));
  program.made.methods[main].has_data = false;  // unloaded since then
  CHECK(EstimateCalls(program.made).scales[one_run].calls == 100);
}

// Each class has one method, which calls any of them, and that of another class.

}  // namespace
}  // namespace iprof::hotspot
