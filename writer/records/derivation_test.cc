#include "writer/records/derivation.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

// Counters a, b; step 2 = a - b; step 3 = step 2 + b + b.
Derivation Example() {
  Derivation d;
  d.counter_count = 2;
  d.operands = {Operand::Plus(0), Operand::Minus(1), Operand::Plus(2), Operand::Plus(1),
                Operand::Plus(1)};
  d.step_end = {2, 5};
  return d;
}

TEST_CASE("steps add and subtract earlier values") {
  std::vector<uint64_t> values = {10, 4, 77, 77};
  REQUIRE(Derive(Example(), values) == 0);
  REQUIRE(values == std::vector<uint64_t>{10, 4, 6, 14});
}

TEST_CASE("a negative result becomes 0, is counted, and later steps see the 0") {
  std::vector<uint64_t> values = {4, 10, 77, 77};
  REQUIRE(Derive(Example(), values) == 1);
  REQUIRE(values == std::vector<uint64_t>{4, 10, 0, 20});
}

TEST_CASE("sums saturate") {
  std::vector<uint64_t> values = {UINT64_MAX, 0, 0, 0};
  values[1] = UINT64_MAX - 1;
  REQUIRE(Derive(Example(), values) == 0);
  REQUIRE(values[2] == 1);
  REQUIRE(values[3] == UINT64_MAX);
}

TEST_CASE("a step without operands is 0") {
  Derivation d;
  d.counter_count = 1;
  d.step_end = {0};
  std::vector<uint64_t> values = {5, 5};
  REQUIRE(IsWellFormed(d));
  REQUIRE(Derive(d, values) == 0);
  REQUIRE(values[1] == 0);
}

TEST_CASE("references forwards or out of range are not well-formed") {
  REQUIRE(IsWellFormed(Example()));
  Derivation d = Example();
  d.operands[0] = Operand::Plus(2);  // itself
  REQUIRE_FALSE(IsWellFormed(d));
  d = Example();
  d.operands[4] = Operand::Minus(3);
  REQUIRE_FALSE(IsWellFormed(d));
  d = Example();
  d.step_end = {5, 2};
  REQUIRE_FALSE(IsWellFormed(d));
  d = Example();
  d.step_end = {2, 6};
  REQUIRE_FALSE(IsWellFormed(d));
  d = Example();
  d.step_end = {2, 4};  // an operand that no step owns
  REQUIRE_FALSE(IsWellFormed(d));
}

TEST_CASE("touched: all values that depend on a disturbed step, however far away") {
  // Counters 0 and 1; 2 = 0 - 1, disturbed; 3 = 0; 4 = 3 - 2; 5 = 3 - 1.
  Derivation d;
  d.counter_count = 2;
  d.operands = {Operand::Plus(0),  Operand::Minus(1), Operand::Plus(0), Operand::Plus(3),
                Operand::Minus(2), Operand::Plus(3),  Operand::Minus(1)};
  d.step_end = {2, 3, 5, 7};
  REQUIRE(IsWellFormed(d));
  Certificate c;
  c.disturbed = {2};
  std::vector<uint8_t> touched(d.value_count(), 9);
  FindTouched(d, c, touched);
  REQUIRE(touched == std::vector<uint8_t>{0, 0, 1, 0, 1, 0});
  c.Clear();
  FindTouched(d, c, touched);
  REQUIRE(touched == std::vector<uint8_t>(6, 0));
  REQUIRE(SharesHold(1000, 10));
  REQUIRE_FALSE(SharesHold(1000, 11));
  REQUIRE_FALSE(SharesHold(99, 1));
  REQUIRE(SharesHold(0, 0));
}

TEST_CASE("k is abrupt leaves less counted throws, plus live frames") {
  const std::vector<uint64_t> values = {100, 7, 3, 4};
  Certificate c;
  c.kind = Exactness::kBounded;
  c.live_frames_matter = true;
  c.abrupt = {1, 2};
  c.thrown = {3};
  ErrorBound bound = BoundOf(c, values, 2);
  REQUIRE(bound.kind == Exactness::kBounded);
  REQUIRE(bound.k == 8);

  // No abrupt leaves and no live frames: the certificate says exact.
  bound = BoundOf(c, std::vector<uint64_t>{100, 4, 0, 4}, 0);
  REQUIRE(bound.kind == Exactness::kExact);
  REQUIRE(bound.k == 0);

  // Counters that are slightly wrong themselves never make k wrap around.
  bound = BoundOf(c, std::vector<uint64_t>{100, 1, 0, 4}, 0);
  REQUIRE(bound.k == 0);

  c.kind = Exactness::kUnknown;
  bound = BoundOf(c, std::vector<uint64_t>{100, 4, 0, 4}, 0);
  REQUIRE(bound.kind == Exactness::kUnknown);

  // Every value is a counter: live frames make no difference.
  c.Clear();
  bound = BoundOf(c, values, 50);
  REQUIRE(bound.kind == Exactness::kExact);
}

}  // namespace
}  // namespace iprof
