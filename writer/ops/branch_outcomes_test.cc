// The sum of a branch's successors is right for any numbering and order of the writers.
#include "writer/profile/branch_outcomes.h"

#include <catch2/catch.hpp>

#include "writer/ops/ops_test_profiles.h"

namespace iprof {
namespace {

Successors Sum(const std::vector<Successors>& lists) {
  return SumOfSuccessors(std::vector<std::span<const Successor>>(lists.begin(), lists.end()));
}

TEST_CASE("an outcome is named by its bci") {
  using Bcis = std::vector<int64_t>;
  const auto names = [](const Successors& list) { return OutcomesOf(list); };
  CHECK(names({{53, 0, 1}, {14, 1, 9}}) == Bcis{53, 14});
  // A switch whose second target has two keys; its first key may come after the others.
  CHECK(names({{40, 0, 1}, {30, 1, 2}, {-5, 1, 3}}) == Bcis{40, 30, 30});
  CHECK(names({{-5, 1, 3}, {30, 1, 2}}) == Bcis{30, 30});
  // Two indices of one bci lead to the same place.
  CHECK(names({{14, 0, 1}, {9, 2, 1}, {14, 1, 9}}) == Bcis{14, 9, 14});
  CHECK(names({{-5, 3, 1}, {-5, 4, 1}}) == Bcis{-5, -5});
  // An index with two bcis is named by the one at which the consumer takes it.
  CHECK(names({{4, 0, 1}, {5, 0, 1}, {4, 1, 1}}) == Bcis{5, 5, 4});
}

TEST_CASE("one triple for each outcome, in order of first appearance") {
  const auto once = [](const Successors& list) { return OneTripleEach(list); };
  CHECK(once({{53, 3, 1}, {14, 1, 9}}) == Successors{{53, 0, 1}, {14, 1, 9}});
  CHECK(once({{14, 0, 9000}, {14, 1, 1000}}) == Successors{{14, 0, 10000}});
  CHECK(once({{40, 0, 1}, {30, 1, 2}, {-5, 0, 3}, {-5, 1, 4}, {30, 2, 8}}) ==
        Successors{{40, 0, 4}, {30, 1, 14}});
  CHECK(once({{-5, 1, 3}, {30, 1, 2}}) == Successors{{30, 0, 5}});
  CHECK(once({{9, 0, INT64_MAX}, {9, 1, 1}}) == Successors{{9, 0, INT64_MAX}});
  CHECK(once({}).empty());
}

TEST_CASE("lists of one shape keep it") {
  CHECK(Sum({{{53, 7, 1}, {14, 1, 10}, {-5, 7, 2}}, {{53, 7, 4}, {14, 1, 5}, {-5, 7, 6}}}) ==
        Successors{{53, 7, 5}, {14, 1, 15}, {-5, 7, 8}});
  CHECK(Sum({{{9, 1, 1}, {9, 0, 3}}}) == Successors{{9, 1, 1}, {9, 0, 3}});
  CHECK(Sum({}).empty());
}

TEST_CASE("other shapes are added by bci") {
  // The same branch with two numberings: 90 % go to 14 in both.
  CHECK(Sum({{{53, 0, 1000}, {14, 1, 9000}}, {{14, 0, 9000}, {53, 1, 1000}}}) ==
        Successors{{14, 0, 18000}, {53, 1, 2000}});
  // The record in the format's document and that of the bytecode: 20 is a compiler's position.
  CHECK(Sum({{{20, 0, 10}, {53, 1, 1}}, {{53, 0, 1}, {14, 1, 10}}}) ==
        Successors{{14, 0, 10}, {20, 1, 10}, {53, 2, 2}});
  // Keys of a switch follow their target.
  CHECK(Sum({{{40, 0, 1}, {30, 1, 2}, {-5, 0, 3}}, {{30, 0, 10}, {40, 1, 20}, {-5, 0, 30}}}) ==
        Successors{{30, 0, 42}, {40, 1, 24}});
  // Both sides of an `if` meet in one list, and are one triple in the other.
  CHECK(Sum({{{14, 0, 9000}, {14, 1, 1000}}, {{14, 0, 5}}}) == Successors{{14, 0, 10005}});
  CHECK(Sum({{{14, 0, 9000}, {14, 1, 1000}}, {{14, 0, 5}, {53, 1, 5}}}) ==
        Successors{{14, 0, 10005}, {53, 1, 5}});
  CHECK(Sum({{{4, 0, INT64_MAX}}, {{5, 1, 1}, {4, 0, 1}}}) ==
        Successors{{4, 0, INT64_MAX}, {5, 1, 1}});
}

TEST_CASE("sums: any order and grouping, n times, and the consumer's probabilities") {
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    INFO("seed " << seed);
    RepeatableRandom random(seed);
    const Successors a = RandomBranch(random);
    const Successors b = random.OneIn(3) ? Renumbered(a, random) : RandomBranch(random);
    const Successors c = random.OneIn(3) ? b : RandomBranch(random);
    const Successors abc = Sum({a, b, c});
    REQUIRE(abc == Sum({c, a, b}));
    REQUIRE(abc == Sum({Sum({a, b}), c}));
    REQUIRE(abc == Sum({a, Sum({b, c})}));
    REQUIRE(abc == Sum({Sum({a, c}), b}));
    Successors twice = a;
    for (Successor& s : twice) s.count *= 2;
    REQUIRE(Sum({a, a}) == twice);
    REQUIRE(Sum({a, a, b}) == Sum({twice, b}));
    SeenByConsumer expected;
    for (const Successors& list : {a, b, c}) expected.Add(list);
    REQUIRE(TotalOf(abc) == expected.total);
    if (HasOneIndexEach(a) && HasOneIndexEach(b) && HasOneIndexEach(c)) RequireSeen(abc, expected);
    if (expected.total != 0) RequireSeen(OneTripleEach(abc), OutcomesIn({a, b, c}));
  }
}

TEST_CASE("sums of lists that no writer makes still have a unique order") {
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    INFO("seed " << seed);
    RepeatableRandom random(seed);
    const auto any = [&] {
      Successors list(random.Below(6));
      for (Successor& s : list) {
        s = {static_cast<int64_t>(random.Below(4)) - 5, static_cast<int64_t>(random.Below(3)) - 1,
             static_cast<int64_t>(random.Below(9))};
      }
      return list;
    };
    const Successors a = any();
    const Successors b = any();
    const Successors c = any();
    REQUIRE(Sum({a, b, c}) == Sum({c, b, a}));
    REQUIRE(Sum({a, b, c}) == Sum({Sum({a, b}), c}));
    REQUIRE(Sum({a, b, c}) == Sum({a, Sum({b, c})}));
    int64_t counts = 0;
    for (const Successors& list : {a, b, c})
      for (const Successor& s : list) counts += s.count;
    for (const Successor& s : Sum({a, b, c})) counts -= s.count;
    REQUIRE(counts == 0);
  }
}

}  // namespace
}  // namespace iprof
