#include "agent/harvest/possible_estimate.h"

#include <catch2/catch.hpp>

#include "agent/harvest/named_program.h"

namespace iprof::hotspot {
namespace {

using classfile::Op;

// main calls first 10 times in each of `times` rounds, of which 2 were counted, and that calls second in each.
struct Growing {
  NamedProgram program;
  uint32_t main = 0, first = 0, second = 0;

  explicit Growing(uint64_t times) {
    program.Class("A");
    main = program.Method("main", times);
    program.made.methods[main].data_invocations = 2;
    first = program.Method("first", 1'000);
    second = program.Method("second", 50);
    program.Call(main, Op::invokestatic, "A", "first", 20);
    program.Call(first, Op::invokestatic, "A", "second", 1'000);
  }
};

TEST_CASE("an estimate that fits into the processor time is taken, with what it rests on") {
  const Growing growing(1'000'000);
  HarvestNote note;
  note.cpu_ms = 100;
  const auto scales = EstimatePossible(growing.program.made, note);
  REQUIRE(scales.ok());
  CHECK((*scales)[growing.first].calls == 10'000'000);
  CHECK(note.estimator == kEstimatorName);
  CHECK(DescribeRefusal(note).empty());
  CHECK((*scales)[growing.main].sureness == Sureness::Bounded());
  CHECK((*scales)[growing.first].sureness == Sureness::EstimatedFrom(2));
  CHECK((*scales)[growing.second].sureness == Sureness::EstimatedFrom(2));
}

TEST_CASE("an estimate that does not fit is made again without what few executions say") {
  const Growing growing(1'000'000'000);
  HarvestNote note;
  note.cpu_ms = 1'000;
  const auto scales = EstimatePossible(growing.program.made, note);
  REQUIRE(scales.ok());
  CHECK((*scales)[growing.main].calls == 1'000'000'000);
  CHECK((*scales)[growing.first].calls == 1'000);
  CHECK((*scales)[growing.second].calls == 1'000);
  CHECK(note.estimator == kBoundedEstimatorName);
  CHECK_FALSE(DescribeRefusal(note).empty());
  CHECK((*scales)[growing.second].sureness == Sureness::Bounded());
}

TEST_CASE("if no estimate fits, calls are as counted") {
  Growing growing(1'000'000'000);
  growing.program.made.methods[growing.main].data_invocations = 300;
  growing.program.made.methods[growing.main].calls[0].block_count = 3'000;
  HarvestNote note;
  note.cpu_ms = 1'000;
  const auto scales = EstimatePossible(growing.program.made, note);
  REQUIRE(scales.ok());
  CHECK((*scales)[growing.first].calls == 1'000);
  CHECK((*scales)[growing.second].calls == 50);
  CHECK(note.estimator == kNoEstimator);
  CHECK(note.estimate_refused);
  CHECK(DescribeRefusal(note).starts_with("calls are as HotSpot counted them"));
}

TEST_CASE("counters that no processor can have counted are refused") {
  const Growing growing(20'000'000'000);
  HarvestNote note;
  note.cpu_ms = 1'000;
  const auto scales = EstimatePossible(growing.program.made, note);
  REQUIRE_FALSE(scales.ok());
  CHECK(scales.status().message() ==
        "is refused: its counters claim 2e+10 calls and branches in 1.0 s of processor time, which "
        "no processor can execute");
  note.cpu_ms = HarvestNote::kUnknownCpu;
  CHECK(EstimatePossible(growing.program.made, note).ok());
}

TEST_CASE("the branches of a method count as well") {
  Growing growing(100);
  HarvestedMethod& method = growing.program.made.methods[growing.second];
  method.branches.push_back({.bci = 3, .targets = {9, 6}, .counts = {100'000'000, 0}});
  HarvestNote note;
  note.cpu_ms = 1'000;  // second is executed 20 times as often as counted
  REQUIRE(EstimatePossible(growing.program.made, note).ok());
  CHECK(note.estimate_refused == false);
  method.branches[0].counts = {1'000'000'000, 0};
  REQUIRE(EstimatePossible(growing.program.made, note).ok());
  CHECK(note.estimate_refused);
}

}  // namespace
}  // namespace iprof::hotspot
