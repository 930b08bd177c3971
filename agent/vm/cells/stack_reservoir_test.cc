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
    stacks.Add(0, {.outcome = outcome(next)}, kPlenty);
}

double ShareOf(const StackReservoir& stacks, uint32_t outcome) {
  const auto all = stacks.StacksOf(0);
  return static_cast<double>(std::count_if(
             all.begin(), all.end(), [&](const TakenStack& s) { return s.outcome == outcome; })) /
         static_cast<double>(all.size());
}

constexpr int64_t kSecond = 1'000'000'000;

TEST_CASE("so many stacks are kept as twice the time could still pay for") {
  StackBudget budget;
  const int64_t begin =
      100 * kSecond;  // an attached agent owes nothing to the past, and has nothing from it
  budget.Begin(begin);
  CHECK(budget.Affords(begin) == 4000);
  for (int i = 0; i < 1000; ++i) budget.Spend(20'000);
  CHECK(static_cast<double>(budget.Affords(begin + kSecond)) == Approx(1667).epsilon(0.02));
  CHECK(static_cast<double>(budget.Affords(begin + 60 * kSecond)) == Approx(21'333).epsilon(0.02));
  // More was spent than is allowed soon.
  for (int i = 0; i < 10'000; ++i) budget.Spend(20'000);
  CHECK(static_cast<double>(budget.Affords(begin + 16 * kSecond)) == Approx(437).epsilon(0.01));
}

TEST_CASE("what recent stacks took says what the next ones take") {
  StackBudget budget;
  for (int i = 0; i < 2000; ++i) budget.Spend(5'000);
  for (int i = 0; i < 2000; ++i) budget.Spend(20'000);
  CHECK(static_cast<double>(budget.Affords(10 * kSecond)) == Approx(3'667).epsilon(0.01));
}

// A simulation: sites that run a million times a second, and whose stacks take 10 us.
struct Simulation {
  Simulation(uint32_t sites, uint64_t expected, int64_t end) {
    StackReservoir stacks(std::vector<uint64_t>(sites, expected), kPlenty, 1);
    StackBudget budget;
    std::vector<int64_t> next(sites, 0);  // in ns
    for (int64_t now = 0; now < end; now += 1'000'000) {
      for (uint32_t site = 0; site < sites; ++site) {
        while (next[site] <= now) {
          budget.Spend(10'000);
          stacks.Add(site, {}, budget.Affords(now));
          next[site] += 1000 * (int64_t{stacks.DrawDistance(site)} + 1);
        }
      }
    }
    spent_ns = budget.spent_ns();
    kept = static_cast<double>(stacks.taken() - stacks.dropped()) / sites;
  }
  int64_t spent_ns;
  double kept;  // of a site
};

TEST_CASE("the cost stays within what is allowed at any time, and what may be spent is spent") {
  for (const int64_t end : {2 * kSecond, 10 * kSecond, 60 * kSecond}) {
    const auto allowed =
        StackBudget::kShare * static_cast<double>(end) + static_cast<double>(StackBudget::kStartNs);
    // So many executions are expected as there are, and a tenth and a hundredth of them.
    for (const uint64_t part : {1U, 10U, 100U}) {
      const Simulation done(200, static_cast<uint64_t>(end) / 1000 / part, end);
      const auto spent = static_cast<double>(done.spent_ns);
      CAPTURE(end, part, done.kept);
      CHECK(spent < allowed * 1.15);
      if (part > 1) CHECK(spent > allowed * 0.5);
      CHECK(done.kept * 200 * 10'000 > allowed * 0.08);
    }
  }
}

TEST_CASE("few sites have many stacks in a short run, too") {
  const Simulation done(3, 1'000'000, kSecond);
  CHECK(done.kept > 250);
  CHECK(done.spent_ns < StackBudget::kStartNs * 11 / 10);
}

TEST_CASE("the first mean follows from what is expected") {
  const auto first_mean = [](uint64_t expected) {
    return StackReservoir({&expected, 1}, kPlenty, 1).MeanOf(0);
  };
  CHECK(first_mean(0) == 1);
  CHECK(first_mean(2047) == 1);
  CHECK(first_mean(4096) == 2);
  CHECK(first_mean(2'000'000) == 512);
  CHECK(first_mean(UINT64_MAX) == 1 << 28);
  // Of all stacks, the first site is to have 4 parts of 43.
  std::vector<uint64_t> many(40, 1'000'000);
  many[0] = 8'000'000;
  const StackReservoir stacks(many, kPlenty, 1);
  CHECK(stacks.MeanOf(0) == 16384);
  CHECK(stacks.MeanOf(1) == 8192);
  // A call has as many as all branches.
  std::vector<bool> is_call(40, false);
  is_call[39] = true;
  const StackReservoir with_call(many, kPlenty, 1, is_call);
  CHECK(with_call.MeanOf(39) == 256);
  CHECK(with_call.MeanOf(1) == 16384);
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
  for (const uint64_t seed : {1U, 2U, 3U}) {
    const uint64_t expected[] = {1000};  // many more come
    StackReservoir stacks(expected, kPlenty, seed);
    constexpr uint64_t kExecutions = 4'000'000;
    Execute(stacks, kExecutions, [](uint64_t at) { return at < kExecutions / 4 ? 0U : 1U; });
    CHECK(stacks.StacksOf(0).size() < StackReservoir::kMostStacks);
    CHECK(stacks.StacksOf(0).size() > 900);
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

TEST_CASE("sites with more stacks make way for those with fewer") {
  const uint64_t expected[] = {0, 0};
  StackReservoir stacks(expected, kPlenty, 1);
  for (int i = 0; i < 20; ++i) stacks.Add(1, {}, 100);
  for (int i = 0; i < 500; ++i) stacks.Add(0, {}, 100);
  CHECK(stacks.MeanOf(0) > 1);
  CHECK(stacks.StacksOf(0).size() < 90);
  CHECK(stacks.MeanOf(1) == 1);
  CHECK(stacks.StacksOf(1).size() == 20);
}

TEST_CASE("a site with more executions has more stacks") {
  const uint64_t expected[] = {8'000'000, 1'000'000};
  StackReservoir stacks(expected, kPlenty, 1);
  int64_t left[] = {0, 0};
  for (int i = 0; i < 8'000'000; ++i) {
    for (uint32_t site = 0; site < 2; ++site) {
      if (i % (site == 0 ? 1 : 8) != 0 || left[site]-- > 0) continue;
      stacks.Add(site, {}, 500);
      left[site] = stacks.DrawDistance(site);
    }
  }
  const auto ratio = static_cast<double>(stacks.StacksOf(0).size()) /
                     static_cast<double>(stacks.StacksOf(1).size());
  CHECK(ratio > 1.8);
  CHECK(ratio < 8);
}

TEST_CASE("all sites together stay within the limit") {
  const std::vector<uint64_t> expected(100, 0);
  StackReservoir stacks(expected, 1000, 1);
  for (uint32_t i = 0; i < 50'000; ++i) stacks.Add(i % 100, {}, kPlenty);
  CHECK(stacks.taken() - stacks.dropped() <= 1000);
  stacks.Forget();
  CHECK(stacks.StacksOf(5).empty());
  CHECK(stacks.MeanOf(5) > 1);
}

}  // namespace
}  // namespace iprof::vm
