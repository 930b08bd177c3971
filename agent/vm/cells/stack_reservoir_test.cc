#include "agent/vm/cells/stack_reservoir.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace iprof::vm {
namespace {

constexpr size_t kPlenty = 1 << 20;

// Runs a site so many times; the outcome of an execution is `outcome` of its number.
template <typename Outcome>
void Execute(StackReservoir& stacks, uint64_t executions, Outcome outcome) {
  for (uint64_t next = stacks.DrawDistance(0); next < executions;
       next += stacks.DrawDistance(0) + 1)
    stacks.Add(0, {.outcome = outcome(next)}, false);
}

double ShareOf(const StackReservoir& stacks, uint32_t outcome) {
  const auto all = stacks.StacksOf(0);
  return static_cast<double>(std::count_if(
             all.begin(), all.end(), [&](const TakenStack& s) { return s.outcome == outcome; })) /
         static_cast<double>(all.size());
}

constexpr int64_t kSecond = 1'000'000'000;

TEST_CASE("stacks may cost something at first, and then a share of each window") {
  StackBudget budget;
  budget.Spend(StackBudget::kFreeNs);
  CHECK_FALSE(budget.IsExceeded(0));
  budget.Spend(1);
  CHECK(budget.IsExceeded(kSecond / 10));
  // The next window owes nothing.
  CHECK_FALSE(budget.IsExceeded(kSecond));
  budget.Spend(2'000'000);
  CHECK(budget.IsExceeded(kSecond + kSecond / 10));
  CHECK_FALSE(budget.IsExceeded(kSecond + kSecond / 2));
}

// A simulation: many sites, each of which runs a million times a second, and whose stacks take 10 us.
TEST_CASE("the cost of many sites soon is the share, and stays there") {
  constexpr uint32_t kSites = 200;
  const std::vector<uint64_t> expected(kSites, 5'000'000);
  StackReservoir stacks(expected, kPlenty, 1);
  StackBudget budget;
  std::vector<int64_t> next(kSites, 0);  // in ns
  constexpr int64_t kStackNs = 10'000;
  int64_t before = 0;
  constexpr int64_t kEnd = 60 * kSecond;
  constexpr int64_t kLate = 40 * kSecond;
  for (int64_t now = 0; now < kEnd; now += 1'000'000) {
    if (now == kLate) before = budget.spent_ns();
    for (uint32_t site = 0; site < kSites; ++site) {
      while (next[site] <= now) {
        stacks.Add(site, {}, budget.IsExceeded(now));
        budget.Spend(kStackNs);
        next[site] += 1000 * (int64_t{stacks.DrawDistance(site)} + 1);
      }
    }
  }
  const auto share = static_cast<double>(budget.spent_ns() - before) / (kEnd - kLate);
  CHECK(share < 0.006);
  CHECK(share > 0.001);  // and what may be spent is spent
  CHECK(budget.spent_ns() < kEnd / 100);
}

TEST_CASE("the first mean follows from what is expected") {
  const uint64_t expected[] = {0, 2047, 4096, 2'000'000, UINT64_MAX};
  const StackReservoir stacks(expected, kPlenty, 1);
  CHECK(stacks.MeanOf(0) == 1);
  CHECK(stacks.MeanOf(1) == 1);
  CHECK(stacks.MeanOf(2) == 2);
  CHECK(stacks.MeanOf(3) == 512);
  CHECK(stacks.MeanOf(4) == 1 << 28);
}

TEST_CASE("distances have the mean, and vary") {
  const uint64_t expected[] = {2048 * 64};
  StackReservoir stacks(expected, kPlenty, 1);
  uint64_t sum = 0;
  uint32_t least = UINT32_MAX;
  uint32_t most = 0;
  constexpr int kTimes = 100'000;
  for (int i = 0; i < kTimes; ++i) {
    const uint32_t distance = stacks.DrawDistance(0) + 1;
    sum += distance;
    least = std::min(least, distance);
    most = std::max(most, distance);
  }
  CHECK(static_cast<double>(sum) / kTimes == Approx(64).epsilon(0.01));
  CHECK(least == 1);
  CHECK(most == 127);
}

TEST_CASE("of a long run, a bounded number of stacks is kept, of all phases alike") {
  for (const uint64_t seed : {1, 2, 3}) {
    const uint64_t expected[] = {1000};  // many more come
    StackReservoir stacks(expected, kPlenty, seed);
    constexpr uint64_t kExecutions = 4'000'000;
    Execute(stacks, kExecutions, [](uint64_t at) { return at < kExecutions / 4 ? 0U : 1U; });
    CHECK(stacks.StacksOf(0).size() < StackReservoir::kMostStacks);
    CHECK(stacks.StacksOf(0).size() > 400);
    CHECK(ShareOf(stacks, 0) == Approx(0.25).margin(0.06));
    CHECK(stacks.taken() == stacks.dropped() + stacks.StacksOf(0).size());
  }
}

TEST_CASE("a program's period makes no difference") {
  const uint64_t expected[] = {2048 * 64};
  StackReservoir stacks(expected, kPlenty, 7);
  Execute(stacks, 60'000, [](uint64_t at) { return at % 64 == 0 ? 1U : 0U; });
  CHECK(ShareOf(stacks, 1) == Approx(1.0 / 64).margin(0.015));
}

TEST_CASE("stacks that cost too much come half as often") {
  const uint64_t expected[] = {0, 0};
  StackReservoir stacks(expected, kPlenty, 1);
  for (int i = 0; i < 500; ++i) stacks.Add(0, {}, false);
  for (int i = 0; i < 5; ++i) stacks.Add(0, {}, true);  // soon after another, the mean stays
  CHECK(stacks.MeanOf(0) == 2);
  CHECK(stacks.StacksOf(0).size() == Approx(250).margin(60));
  CHECK(stacks.MeanOf(1) == 1);
}

TEST_CASE("all sites together stay within the limit") {
  const std::vector<uint64_t> expected(100, 0);
  StackReservoir stacks(expected, 1000, 1);
  for (uint32_t i = 0; i < 50'000; ++i) stacks.Add(i % 100, {}, false);
  CHECK(stacks.taken() - stacks.dropped() <= 1000);
  stacks.Forget();
  CHECK(stacks.StacksOf(5).empty());
  CHECK(stacks.MeanOf(5) > 1);
}

}  // namespace
}  // namespace iprof::vm
