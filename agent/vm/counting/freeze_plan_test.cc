#include "agent/vm/counting/freeze_plan.h"

#include <catch2/catch.hpp>

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

}  // namespace
}  // namespace iprof::vm
