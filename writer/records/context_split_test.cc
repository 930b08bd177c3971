#include "writer/records/context_split.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

namespace iprof {
namespace {

constexpr CallerNumber kA = 1;
constexpr CallerNumber kB = 2;
constexpr CallerNumber kWrapper = 3;

std::map<std::vector<CallerNumber>, std::vector<int64_t>> Split(
    const std::vector<int64_t>& exact, const std::vector<OutcomeStack>& stacks) {
  std::map<std::vector<CallerNumber>, std::vector<int64_t>> split;
  std::vector<int64_t> sums(exact.size());
  for (const ContextCounts& context : SplitByCallers(exact, stacks)) {
    REQUIRE(split.emplace(context.callers, context.counts).second);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += context.counts[i];
  }
  CHECK(sums == exact);
  return split;
}

TEST_CASE("counts are divided among callers that differ") {
  // The example of the header.
  const auto split = Split({600, 400}, {{0, 50, {kA}}, {0, 10, {kB}}, {1, 40, {kB}}});
  CHECK(split.at({}) == std::vector<int64_t>{0, 0});
  CHECK(split.at({kA}) == std::vector<int64_t>{500, 0});
  CHECK(split.at({kB}) == std::vector<int64_t>{100, 400});
}

TEST_CASE("callers that do the same are not told apart") {
  const auto split =
      Split({600, 400}, {{0, 30, {kA}}, {1, 20, {kA}}, {0, 29, {kB}}, {1, 21, {kB}}});
  CHECK(split.size() == 1);
  CHECK(split.at({}) == std::vector<int64_t>{600, 400});
}

TEST_CASE("a caller that only hands calls on is written with its own callers alone") {
  const auto split = Split({1000, 1000}, {{0, 100, {kWrapper, kA}}, {1, 100, {kWrapper, kB}}});
  CHECK_FALSE(split.contains({kWrapper}));
  CHECK(split.at({kWrapper, kA}) == std::vector<int64_t>{1000, 0});
  CHECK(split.at({kWrapper, kB}) == std::vector<int64_t>{0, 1000});
}

TEST_CASE("a longer context is compared with the longest that is written") {
  // Beyond A, all callers do as A does.
  const auto split = Split({90, 110}, {{0, 80, {kA, kWrapper}},
                                       {1, 20, {kA, kWrapper}},
                                       {0, 10, {kB, kWrapper}},
                                       {1, 90, {kB, kWrapper}}});
  CHECK(split.size() == 3);
  CHECK(split.at({kA}) == std::vector<int64_t>{80, 20});
  CHECK(split.at({kB}) == std::vector<int64_t>{10, 90});
}

TEST_CASE("few stacks prove nothing") {
  const std::vector<OutcomeStack> others{{0, 50, {kB}}, {1, 50, {kB}}};
  auto few = others;
  few.push_back({0, 5, {kA}});
  CHECK(Split({1000, 1000}, few).size() == 1);
  auto enough = others;
  enough.push_back({0, 20, {kA}});
  CHECK(Split({1000, 1000}, enough).contains({kA}));
}

TEST_CASE("an outcome that no stack has is divided as all stacks are") {
  const auto split = Split({1000, 1000, 10}, {{0, 100, {kA}}, {1, 100, {kB}}});
  CHECK(split.at({kA}) == std::vector<int64_t>{1000, 0, 5});
  CHECK(split.at({kB}) == std::vector<int64_t>{0, 1000, 5});
}

TEST_CASE("without stacks the counts are one entry") {
  CHECK(Split({7, 0}, {}).at({}) == std::vector<int64_t>{7, 0});
  CHECK(Split({}, {}).at({}).empty());
}

TEST_CASE("counts of any size keep their sums") {
  const auto split =
      Split({INT64_MAX, 3}, {{0, 333, {kA}}, {0, 334, {kB}}, {1, 100, {kB}}, {1, 233, {}}});
  CHECK(split.at({kA})[0] > INT64_MAX / 3);
}

TEST_CASE("of random stacks that do not depend on callers, hardly any context is written") {
  std::mt19937 random(5);
  uint64_t contexts = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<OutcomeStack> stacks;
    for (int i = 0; i < 512; ++i)
      stacks.push_back({static_cast<uint32_t>(random() % 2), 1, {random() % 8, random() % 3}});
    contexts += Split({1000, 1000}, stacks).size() - 1;
  }
  // 32 contexts in each round, one wrong one in a thousand.
  CHECK(contexts < 20);
}

}  // namespace
}  // namespace iprof
