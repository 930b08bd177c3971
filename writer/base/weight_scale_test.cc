#include "writer/base/weight_scale.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace iprof {
namespace {

TEST_CASE("weights are scaled so that their sum is right") {
  WeightScale half(1, 2);
  CHECK(half.Of(1) == 1);
  CHECK(half.Of(1) == 0);
  CHECK(half.Of(1) == 1);
  CHECK(half.Of(1) == 0);
  CHECK(half.Of(7) == 4);
}

TEST_CASE("a scale of one changes nothing") {
  WeightScale as_it_is;
  CHECK_FALSE(as_it_is.changes());
  CHECK(as_it_is.Of(UINT64_MAX) == UINT64_MAX);
  WeightScale same(1000, 1000);
  CHECK_FALSE(same.changes());
  CHECK(same.Of(17) == 17);
}

TEST_CASE("results saturate") {
  WeightScale large(UINT64_MAX, 1);
  CHECK(large.Of(UINT64_MAX) == INT64_MAX);
}

TEST_CASE("each result is the exact one rounded up or down, and so is their sum") {
  std::mt19937_64 random(7);  // NOLINT: the same numbers in every run
  for (int run = 0; run < 100; ++run) {
    const uint64_t to = 1 + random() % 5'000'000;
    const uint64_t from = 1 + random() % 5'000'000;
    WeightScale scale(to, from);
    uint64_t before = 0;
    uint64_t after = 0;
    for (int i = 0; i < 200; ++i) {
      const uint64_t weight = random() % 50;
      const uint64_t scaled = scale.Of(weight);
      CHECK(scaled * from < weight * to + from);
      CHECK(scaled * from + from > weight * to);
      before += weight;
      after += scaled;
    }
    CHECK(after == (before * to + from / 2) / from);
  }
}

// What a doubled interval needs: all that was sampled before it counts half.
TEST_CASE("halving favours no stack: over all beginnings, the mean is exact") {
  const std::vector<uint64_t> weights{1, 1, 3, 10, 1, 5, 1, 1, 2, 7};
  for (const auto& [to, from] : {std::pair<uint64_t, uint64_t>{1, 2}, {1, 4}, {3, 7}, {250, 999}}) {
    std::vector<uint64_t> sums(weights.size());
    for (uint64_t begin = 0; begin < from; ++begin) {
      WeightScale scale(to, from, begin);
      for (size_t i = 0; i < weights.size(); ++i) sums[i] += scale.Of(weights[i]);
    }
    // The mean of `from` results is weight * to / from.
    for (size_t i = 0; i < weights.size(); ++i) CHECK(sums[i] == weights[i] * to);
  }
}

}  // namespace
}  // namespace iprof
