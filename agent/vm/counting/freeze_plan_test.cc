#include "agent/vm/counting/freeze_plan.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace iprof::vm {
namespace {

using Numbers = std::vector<size_t>;

TEST_CASE("methods that have counted enough freeze, hottest first", "[freeze_plan]") {
  const std::vector<MethodLoad> methods{
      {.counted = 5000, .increments_per_s = 30'000},
      {.counted = 999, .increments_per_s = 9e6},
      {.counted = 1000, .increments_per_s = 2e6},
      {.counted = 90'000, .increments_per_s = kIdle - 1},
      {.counted = 90'000, .increments_per_s = 8e6, .may_freeze = false},
  };
  CHECK(ChooseMethods(methods, {.until = 1000}) == Numbers{2, 0});
}

TEST_CASE("with a limit, only as many as needed freeze", "[freeze_plan]") {
  const std::vector<MethodLoad> methods{
      {.counted = 5000, .increments_per_s = 1e6},
      {.counted = 5000, .increments_per_s = 4e6},
      {.counted = 5000, .increments_per_s = 2e6},
  };
  CHECK(ChooseMethods(methods, {.until = 1000, .increments_per_s = 8e6}).empty());
  CHECK(ChooseMethods(methods, {.until = 1000, .increments_per_s = 3.5e6}) == Numbers{1});
  CHECK(ChooseMethods(methods, {.until = 1000, .increments_per_s = 2e6}) == Numbers{1, 2});
  CHECK(ChooseMethods(methods, {.until = 1000, .increments_per_s = 0}) == Numbers{1, 2, 0});
}

TEST_CASE("a round pays once the methods have cost what it will cost", "[freeze_plan]") {
  CHECK_FALSE(RoundPays({.counted_s = 2.9, .compiled_s = 3}));
  CHECK(RoundPays({.counted_s = 3.1, .compiled_s = 3}));
  CHECK(RoundPays({.counted_s = 0.1, .compiled_s = 0}));
  CHECK_FALSE(RoundPays({.counted_s = 0, .compiled_s = 0}));
}

TEST_CASE("methods thaw once all swaps with that take a fiftieth of the time", "[freeze_plan]") {
  CHECK_FALSE(ThawPays({.recorded_s = 199, .swapped_s = 1, .last_swap_s = 1}));
  CHECK(ThawPays({.recorded_s = 200, .swapped_s = 1, .last_swap_s = 1}));
  CHECK_FALSE(ThawPays({.recorded_s = 200, .swapped_s = 1.1, .last_swap_s = 1}));
  CHECK(ThawPays({.recorded_s = 1}));
}

TEST_CASE("the first time, methods thaw once that takes a tenth of the time", "[freeze_plan]") {
  CHECK_FALSE(ThawPays({.recorded_s = 29, .swapped_s = 1, .last_swap_s = 1, .is_first = true}));
  CHECK(ThawPays({.recorded_s = 30, .swapped_s = 1, .last_swap_s = 1, .is_first = true}));
}

TEST_CASE("in the long run, methods that thaw again and again take a fiftieth of the time",
          "[freeze_plan]") {
  constexpr double kRound = 1.5;
  double swapped_s = kRound;
  for (double now = 10; now < 6000; ++now) {
    if (ThawPays({.recorded_s = now, .swapped_s = swapped_s, .last_swap_s = kRound}))
      swapped_s += 3 * kRound;
    CHECK(swapped_s <= std::max(kRound, 0.02 * now));
  }
  CHECK(swapped_s > 0.018 * 6000);
}

TEST_CASE("a rule that waits until it pays loses little, however long the program runs",
          "[freeze_plan]") {
  constexpr double kSaved = 0.4;
  constexpr double kRound = 6;
  for (const double run_s : {1.0, 10.0, 15.0, 16.0, 100.0, 1000.0}) {
    double swapped_at = 0;
    while (swapped_at < run_s && !RoundPays({kSaved * swapped_at, kRound})) swapped_at += 0.5;
    const bool swaps = swapped_at < run_s;
    const double cost = kSaved * std::min(swapped_at, run_s) + (swaps ? kRound : 0);
    CHECK(cost <= 2 * std::min(kRound, kSaved * run_s) + kSaved);
  }
}

}  // namespace
}  // namespace iprof::vm
