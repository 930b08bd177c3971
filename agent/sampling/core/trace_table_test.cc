#include "agent/sampling/core/trace_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <thread>
#include <vector>

namespace iprof::sampling {
namespace {

CallFrame At(uintptr_t method, int32_t bci) { return {bci, reinterpret_cast<void*>(method)}; }

using Key = std::vector<std::pair<uintptr_t, int32_t>>;

std::map<Key, uint64_t> WeightsOf(const TraceTable& table) {
  std::map<Key, uint64_t> weights;
  table.ForEach([&](const TraceView& trace) {
    Key key;
    for (size_t i = 0; i < trace.depth(); ++i)
      key.emplace_back(reinterpret_cast<uintptr_t>(trace.frame(i).method), trace.frame(i).bci);
    weights[key] += trace.weight();
  });
  return weights;
}

std::unique_ptr<TraceTable> NewTable(size_t bytes) {
  auto table = TraceTable::Create(bytes);
  REQUIRE(table.ok());
  return std::move(*table);
}

TEST_CASE("equal traces share a record and their weights add up") {
  auto table = NewTable(1 << 20);
  const std::vector<CallFrame> a = {At(16, 3), At(32, 7)};
  const std::vector<CallFrame> b = {At(16, 3), At(32, 8)};
  CHECK(table->Add(a, false, 1));
  CHECK(table->Add(b, false, 10));
  CHECK(table->Add(a, false, 4));
  CHECK(WeightsOf(*table) ==
        std::map<Key, uint64_t>{{{{16, 3}, {32, 7}}, 5}, {{{16, 3}, {32, 8}}, 10}});
  CHECK(table->usage().distinct == 2);
  CHECK(table->usage().dropped_samples == 0);
}

TEST_CASE("traces of different threads are different") {
  auto table = NewTable(1 << 20);
  const std::vector<CallFrame> a = {At(16, 3)};
  for (const uint32_t thread : {0U, 1U, TraceTable::kThreadLimit - 1, 1U})
    REQUIRE(table->Add(a, thread == 1, 1, nullptr, {.thread = thread}));
  std::map<uint32_t, uint64_t> weights;
  table->ForEach([&](const TraceView& trace) {
    CHECK(trace.depth() == 1);
    CHECK(trace.cut() == (trace.thread() == 1));
    weights[trace.thread()] += trace.weight();
  });
  CHECK(weights == std::map<uint32_t, uint64_t>{{0, 1}, {1, 2}, {TraceTable::kThreadLimit - 1, 1}});
}

TEST_CASE("a trace in several periods has an entry for each, and one record") {
  auto table = NewTable(1 << 20);
  const std::vector<CallFrame> a = {At(16, 3), At(32, 7)};
  size_t place = 0;
  for (const uint32_t period : {0U, 1U, 1U, 2U, 5U, 31U})
    REQUIRE(table->Add(a, false, 1, &place, {.period = period}));
  table->AddWeight(place, 4);
  std::map<uint32_t, uint64_t> weights;
  table->ForEach([&](const TraceView& trace) { weights[trace.period()] += trace.weight(); });
  CHECK(weights == std::map<uint32_t, uint64_t>{{0, 1}, {1, 2}, {2, 1}, {5, 1}, {31, 5}});
  CHECK(WeightsOf(*table) == std::map<Key, uint64_t>{{{{16, 3}, {32, 7}}, 10}});
  CHECK(table->usage().distinct == 2);  // period 31 is too far from 5
}

TEST_CASE("periods fill the arena as one does") {
  auto table = NewTable(TraceTable::kMinBytes);
  const auto fill = [&](uint32_t period) {
    for (uintptr_t i = 1; i <= 30; ++i)
      REQUIRE(table->Add(std::vector<CallFrame>(60, At(16 * i, 3)), false, 1, nullptr,
                         {.period = period}));
    return table->usage().bytes_used;
  };
  const size_t used = fill(0);
  for (const uint32_t period : {1U, 2U, 3U}) CHECK(fill(period) == used);
}

TEST_CASE("weight can be added to a trace later, and to no other") {
  auto table = NewTable(1 << 20);
  const std::vector<CallFrame> a = {At(16, 3)};
  const std::vector<CallFrame> b = {At(16, 4)};
  size_t first = SIZE_MAX;
  size_t again = SIZE_MAX;
  REQUIRE(table->Add(a, false, 1, &first));
  REQUIRE(table->Add(b, false, 1));
  REQUIRE(table->Add(a, false, 1, &again));
  CHECK(first == again);
  table->AddWeight(first, 5);
  CHECK(WeightsOf(*table) == std::map<Key, uint64_t>{{{{16, 3}}, 7}, {{{16, 4}}, 1}});
}

TEST_CASE("a prefix, a cut trace and an empty one are traces of their own") {
  auto table = NewTable(1 << 20);
  const std::vector<CallFrame> frames = {At(16, 3), At(32, 7)};
  table->Add(frames, false, 1);
  table->Add(frames, true, 1);
  table->Add(std::span(frames).first(1), false, 1);
  table->Add({}, false, 1);
  size_t cut = 0;
  table->ForEach([&](const TraceView& trace) { cut += trace.cut() ? 1 : 0; });
  CHECK(table->usage().distinct == 4);
  CHECK(cut == 1);
}

TEST_CASE("what does not fit is counted, sample by sample and weight by weight") {
  auto table = NewTable(TraceTable::kMinBytes);
  const uint64_t offered = 20000;
  uint64_t refused = 0;
  for (uint64_t i = 0; i < offered; ++i) {
    const CallFrame frames[] = {At(16 + i * 8, 0), At(8, 1), At(8, 2)};
    if (!table->Add(frames, false, 3)) ++refused;
  }
  uint64_t stored = 0;
  for (const auto& [key, weight] : WeightsOf(*table)) stored += weight;
  const TraceTable::Usage usage = table->usage();
  CHECK(usage.dropped_samples == refused);
  CHECK(usage.dropped_weight == refused * 3);
  CHECK(stored + usage.dropped_weight == offered * 3);
  CHECK(refused > 0);
  CHECK(stored > 0);
  CHECK(usage.bytes_used <= usage.bytes_capacity);
}

TEST_CASE("a trace too large for the arena is dropped every time that it comes") {
  auto table = NewTable(TraceTable::kMinBytes);
  const std::vector<CallFrame> huge(100000, At(64, 1));
  CHECK_FALSE(table->Add(huge, false, 1));
  CHECK_FALSE(table->Add(huge, false, 1));
  CHECK(table->usage().dropped_samples == 2);
  CHECK(table->usage().distinct == 0);
}

TEST_CASE("sizes outside the limits are refused") {
  CHECK(TraceTable::Create(TraceTable::kMinBytes - 1).status().code() == Code::kLimit);
  CHECK(TraceTable::Create(TraceTable::kMaxBytes + 1).status().code() == Code::kLimit);
}

// For ThreadSanitizer: many threads add overlapping sets while another one reads.
TEST_CASE("no sample is lost when threads add the same traces at the same time") {
  constexpr int kThreads = 4;
  constexpr uint64_t kRounds = 20000;
  constexpr uint64_t kDistinct = 500;
  auto table = NewTable(8 << 20);
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done.load()) {
      table->ForEach([](const TraceView& trace) {
        for (size_t i = 0; i < trace.depth(); ++i) {
          const auto method = reinterpret_cast<uintptr_t>(trace.frame(i).method);
          if (method != 16 + (method - 16) / 8 * 8 || trace.frame(i).bci != static_cast<int32_t>(i))
            FAIL("a torn trace was read");
        }
      });
    }
  });
  std::vector<std::thread> writers;
  for (int t = 0; t < kThreads; ++t) {
    writers.emplace_back([&, t] {
      for (uint64_t i = 0; i < kRounds; ++i) {
        const uint64_t which = (i * 7 + static_cast<uint64_t>(t)) % kDistinct;
        std::vector<CallFrame> frames;
        for (uint64_t d = 0; d <= which % 30; ++d)
          frames.push_back(At(16 + 8 * which, static_cast<int32_t>(d)));
        table->Add(frames, false, 2);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  reader.join();
  uint64_t total = 0;
  for (const auto& [key, weight] : WeightsOf(*table)) total += weight;
  CHECK(total == kThreads * kRounds * 2);
  CHECK(table->usage().distinct == kDistinct);
}

TEST_CASE("the same position in two versions of a method's code is two traces") {
  auto table = std::move(*TraceTable::Create(TraceTable::kMinBytes));
  const std::vector<CodeStamp> stamps = {{},
                                         CodeStamp::Of(40, false),
                                         CodeStamp::Of(40, true),
                                         CodeStamp::Of(52, true),
                                         CodeStamp::Of(65'535, false)};
  for (const CodeStamp stamp : stamps) {
    const std::vector<CallFrame> frames = {{65'534, reinterpret_cast<void*>(16), stamp}};
    CHECK(table->Add(frames, false, 1));
    CHECK(table->Add(frames, false, 1));
  }
  size_t found = 0;
  table->ForEach([&](const TraceView& trace) {
    CHECK(trace.weight() == 2);
    CHECK(trace.frame(0).bci == 65'534);
    found += static_cast<size_t>(std::count(stamps.begin(), stamps.end(), trace.frame(0).code));
  });
  CHECK(found == stamps.size());
}

TEST_CASE("positions that are no bci stay what they are") {
  auto table = std::move(*TraceTable::Create(TraceTable::kMinBytes));
  for (const int32_t bci : {kNativeFrame, -1, 0})
    table->Add(std::vector<CallFrame>{At(16, bci)}, false, 1);
  std::vector<int32_t> found;
  table->ForEach([&](const TraceView& trace) { found.push_back(trace.frame(0).bci); });
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<int32_t>{kNativeFrame, -1, 0});
}

}  // namespace
}  // namespace iprof::sampling
