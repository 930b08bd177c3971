#include "agent/vm/events/wait_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace iprof::vm {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
const WaitTable::Row kRow{.stack = 5, .type = 2, .thread = 1, .owner = kNone, .is_park = false};

TEST_CASE("a wait lasts from its begin to its end, on its own thread") {
  WaitTable waits([] { return true; });
  waits.Begin(31, 1'000);
  waits.Begin(47, 1'500);  // in the same part
  CHECK(waits.End(31, 13'000) == 12'000);
  CHECK(waits.End(31, 14'000) == std::nullopt);  // it has ended
  CHECK(waits.End(32, 14'000) == std::nullopt);  // it began before the recording
  waits.Begin(47, 2'000);  // the one before did not end: a thread waits for one lock
  CHECK(waits.End(47, 2'500) == 500);
  waits.Begin(31, 3'000);
  waits.ForgetBegun();
  CHECK(waits.End(31, 9'000) == std::nullopt);
}

TEST_CASE("rows add up, and what differs has its own row") {
  WaitTable waits([] { return true; });
  waits.Add(kRow, 12);
  waits.Add(kRow, 30);
  WaitTable::Row other = kRow;
  other.owner = 9;
  waits.Add(other, 5);
  other.is_park = true;
  waits.Add(other, 1);
  waits.NoteShorter();
  auto rows = waits.Rows();
  REQUIRE(rows.size() == 3);
  std::ranges::sort(rows, {}, [](const auto& row) { return -row.second.ns; });
  CHECK(rows[0].first == kRow);
  CHECK(rows[0].second.ns == 42);
  CHECK(rows[0].second.waits == 2);
  CHECK(rows[1].second.ns == 5);
  CHECK(rows[2].first.is_park);
  CHECK(waits.figures().waits == 4);
  CHECK(waits.figures().shorter == 1);
  CHECK(waits.bytes() >= 3 * sizeof(WaitTable::Row));

  waits.Reset();
  CHECK(waits.Rows().empty());
  CHECK(waits.figures().waits + waits.figures().shorter == 0);
  CHECK(waits.bytes() == 0);
}

TEST_CASE("without room, known rows still add up, and the rest is counted") {
  bool has_room = true;
  WaitTable waits([&] { return has_room; });
  waits.Add(kRow, 12);
  has_room = false;
  waits.Add(kRow, 12);
  WaitTable::Row other = kRow;
  other.stack = 6;
  waits.Add(other, 7);
  waits.NoteDropped();
  CHECK(waits.Rows().size() == 1);
  CHECK(waits.Rows()[0].second.ns == 24);
  CHECK(waits.figures().waits == 4);
  CHECK(waits.figures().dropped == 2);
}

TEST_CASE("waits that never end take no more than their room") {
  WaitTable waits([] { return true; });
  constexpr auto kMany = static_cast<int64_t>(WaitTable::kMostBegun) + 1'000;
  for (int64_t thread = 0; thread < kMany; ++thread) waits.Begin(thread, thread);
  CHECK(waits.bytes() > WaitTable::kMostBegun * 2 * sizeof(int64_t));
  int64_t known = 0;
  for (int64_t thread = 0; thread < kMany; ++thread) known += waits.End(thread, kMany) ? 1 : 0;
  CHECK(known == static_cast<int64_t>(WaitTable::kMostBegun));
  CHECK(waits.bytes() == 0);
}

TEST_CASE("many threads lose nothing") {
  constexpr int kThreads = 4;
  constexpr int kEach = 2'000;
  WaitTable waits([] { return true; });
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&waits, t] {
      for (int i = 0; i < kEach; ++i) {
        waits.Begin(t, i);
        WaitTable::Row row = kRow;
        row.stack = static_cast<uint32_t>(i % 3);
        waits.Add(row, *waits.End(t, i + 10));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int64_t ns = 0;
  for (const auto& [row, sum] : waits.Rows()) ns += sum.ns;
  CHECK(waits.Rows().size() == 3);
  CHECK(ns == int64_t{kThreads} * kEach * 10);
}

}  // namespace
}  // namespace iprof::vm
