#include "writer/records/method_record.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

using Numbers = std::vector<uint32_t>;

Numbers NumbersOf(std::vector<uint32_t> targets, uint32_t expected_count) {
  Numbers numbers = {99, 99};
  CHECK(NumberSuccessors(targets, &numbers) == expected_count);
  return numbers;
}

TEST_CASE("an if has its target first, its fall-through second; two equal ones are one") {
  CHECK(NumbersOf({53, 14}, 2) == Numbers{0, 1});
  CHECK(NumbersOf({14, 14}, 1) == Numbers{0, 0});
}

TEST_CASE("a switch numbers its targets by first appearance") {
  // case 1: case 3: A; case 2: B; case 4: = default C
  CHECK(NumbersOf({40, 50, 40, 60, 60}, 3) == Numbers{0, 1, 0, 2, 2});
  // The order is that of appearance, not of bci, also for backward targets.
  CHECK(NumbersOf({90, 10, 90, 10, 10, 20}, 3) == Numbers{0, 1, 0, 1, 1, 2});
  CHECK(NumbersOf({7}, 1) == Numbers{0});
  CHECK(NumbersOf({}, 0) == Numbers{});
}

}  // namespace
}  // namespace iprof
