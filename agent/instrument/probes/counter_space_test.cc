#include "agent/instrument/probes/counter_space.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace iprof::instrument {

TEST_CASE("A range never crosses a chunk", "[counter_space]") {
  CounterSpace space;
  space.Configure(4, nullptr);
  space.SetReady(4);
  auto a = space.Allocate(30000);
  auto b = space.Allocate(5000);
  REQUIRE(a);
  REQUIRE(b);
  CHECK(ChunkOf(a->first) == 0);
  CHECK(ChunkOf(b->first) == 1);
  CHECK(IndexInChunk(b->first) == 0);
  CHECK(space.End() == kChunkCounters + 5000);
  space.Release(*b);
  CHECK(space.End() == kChunkCounters + 5000);
  CHECK_FALSE(space.Allocate(kChunkCounters + 1));
}

TEST_CASE("No chunk is used before it is ready, none beyond the cap", "[counter_space]") {
  CounterSpace space;
  int signals = 0;
  space.Configure(2, [&] { ++signals; });
  CHECK_FALSE(space.Allocate(1));
  CHECK(signals == 1);
  CHECK(space.Wanted() == 2);
  space.SetReady(1);
  REQUIRE(space.Allocate(kChunkCounters));
  CHECK(signals == 2);
  CHECK_FALSE(space.Allocate(1));
  CHECK(space.statistics().refused_ready == 2);
  space.SetReady(2);
  REQUIRE(space.Allocate(kChunkCounters));
  CHECK_FALSE(space.Allocate(1));
  CHECK(space.statistics().refused_cap == 1);
  CHECK(space.statistics().chunks_used == 2);
}

TEST_CASE("Chunks for what is expected are wanted in advance, within the cap", "[counter_space]") {
  CounterSpace space(1000);
  space.Configure(6, nullptr);
  space.SetReady(1);
  REQUIRE(space.Allocate(500));
  CHECK(space.Wanted() == 2);
  space.Expect(2500);
  CHECK(space.Wanted() == 4);
  space.Expect(50'000);
  CHECK(space.Wanted() == 6);
  space.Expect(0);
  CHECK(space.Wanted() == 2);
}

TEST_CASE("A refused large request leaves room for a small one", "[counter_space]") {
  CounterSpace space;
  space.Configure(1, nullptr);
  space.SetReady(1);
  REQUIRE(space.Allocate(kChunkCounters - 10));
  CHECK_FALSE(space.Allocate(11));
  CHECK(space.Allocate(10));
}

TEST_CASE("Ranges that were given back are used again, and grow together", "[counter_space]") {
  CounterSpace space(1000);
  space.Configure(2, nullptr);
  space.SetReady(1);
  std::vector<CounterRange> ranges;
  for (int i = 0; i < 10; ++i) ranges.push_back(*space.Allocate(100));
  space.SetCap(1);
  CHECK_FALSE(space.Allocate(1));
  space.Release(ranges[3]);
  space.Release(ranges[5]);
  CHECK_FALSE(space.Allocate(101));
  space.Release(ranges[4]);  // closes the gap between the two
  CHECK(space.statistics().free == 300);
  const auto large = space.Allocate(300);
  REQUIRE(large);
  CHECK(large->first == ranges[3].first);
  CHECK(space.statistics().free == 0);
  CHECK(space.statistics().counters == 1000);
  space.Release({ranges[0].first, 200});  // two allocations at once
  CHECK(space.Allocate(60)->first == ranges[0].first);
  CHECK(space.Allocate(140));
}

TEST_CASE("Free ranges never cross a chunk", "[counter_space]") {
  CounterSpace space(1000);
  space.Configure(2, nullptr);
  space.SetReady(2);
  REQUIRE(space.Allocate(1000));
  REQUIRE(space.Allocate(1000));
  space.Release({CounterIndex{900}, 200});
  CHECK_FALSE(space.Allocate(101));
  const auto one = space.Allocate(100);
  const auto other = space.Allocate(100);
  REQUIRE(one);
  REQUIRE(other);
  CHECK(static_cast<uint32_t>(one->first) == 900);
  CHECK(static_cast<uint32_t>(other->first) == 1000);
}

TEST_CASE("What is left at the end of a chunk is not lost", "[counter_space]") {
  CounterSpace space(1000);
  space.Configure(2, nullptr);
  space.SetReady(2);
  REQUIRE(space.Allocate(900));
  REQUIRE(space.Allocate(500));
  CHECK(static_cast<uint32_t>(space.Allocate(100)->first) == 900);
}

TEST_CASE("The cap may change, but not below what is there", "[counter_space]") {
  CounterSpace space(1000);
  space.Configure(8, nullptr);
  space.SetReady(2);
  space.SetCap(1);
  CHECK(space.Cap() == 2);
  space.SetCap(5);
  CHECK(space.Cap() == 5);
}

TEST_CASE("Threads get ranges that do not overlap", "[counter_space]") {
  CounterSpace space;
  space.Configure(64, nullptr);
  space.SetReady(64);
  std::vector<std::vector<CounterRange>> got(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < got.size(); ++t) {
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < 2000; ++i) {
        if (auto r = space.Allocate(1 + i % 97)) got[t].push_back(*r);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::vector<CounterRange> all;
  for (auto& g : got) all.insert(all.end(), g.begin(), g.end());
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.first < b.first; });
  for (size_t i = 1; i < all.size(); ++i) {
    REQUIRE(static_cast<uint32_t>(all[i - 1].first) + all[i - 1].count <=
            static_cast<uint32_t>(all[i].first));
  }
}

}  // namespace iprof::instrument
