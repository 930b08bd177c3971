// The storage of sampling under the load of many threads at once, for the sanitizers. Threads play
// the role of the handler: they do to a slot, the table and the ranges what it does, without
// signals.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <thread>
#include <vector>

#include "agent/sampling/core/code_ranges.h"
#include "agent/sampling/core/thread_slot.h"
#include "agent/sampling/core/trace_table.h"

namespace iprof::sampling {
namespace {

constexpr int kThreads = 4;
constexpr uint64_t kRounds = 20000;

// Small pseudo-random numbers. The same seed gives the same sequence.
class Sequence {
 public:
  explicit Sequence(uint64_t seed) : state_(seed * 2 + 1) {}
  uint64_t Next(uint64_t below) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % below;
  }

 private:
  uint64_t state_;
};

template <typename Body>
void OnThreads(Body body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&body, t] { body(t); });
  for (std::thread& thread : threads) thread.join();
}

// Plays the signal handler: the slot's sequence is odd while it runs.
template <typename Body>
void InHandler(ThreadSlot* slot, Body body) {
  const uint64_t sequence = slot->sequence.load(std::memory_order_relaxed);
  AddOwned(slot->received, 1);
  slot->sequence.store(sequence + 1, std::memory_order_seq_cst);
  body();
  AddOwned(slot->signals[0], 1);
  slot->sequence.store(sequence + 2, std::memory_order_release);
}

// Every frame of a trace contains the number of its trace and its index.
std::vector<CallFrame> TraceNumber(uint64_t which) {
  std::vector<CallFrame> frames;
  for (uint64_t i = 0; i <= which % 40; ++i)
    frames.push_back({static_cast<int32_t>(i), reinterpret_cast<void*>(16 + 8 * which)});
  return frames;
}

bool IsWhole(const TraceView& trace) {
  if (trace.depth() == 0) return false;
  const void* method = trace.frame(0).method;
  for (size_t i = 0; i < trace.depth(); ++i) {
    if (trace.frame(i).method != method || trace.frame(i).bci != static_cast<int32_t>(i))
      return false;
  }
  return trace.depth() == (reinterpret_cast<uintptr_t>(method) - 16) / 8 % 40 + 1;
}

void FillWhileReading(size_t bytes, uint64_t distinct, bool expect_drops) {
  auto created = TraceTable::Create(bytes);
  REQUIRE(created.ok());
  TraceTable& table = **created;
  std::atomic<bool> done{false};
  std::atomic<uint64_t> torn{0};
  std::atomic<uint64_t> refused{0};
  std::thread reader([&] {
    while (!done.load()) {
      table.ForEach([&](const TraceView& trace) { torn += IsWhole(trace) ? 0 : 1; });
      static_cast<void>(table.usage());
    }
  });
  OnThreads([&](int t) {
    Sequence random(static_cast<uint64_t>(t));
    for (uint64_t i = 0; i < kRounds; ++i) {
      // Usually one of a few traces, sometimes one of many.
      const uint64_t which = random.Next(4) != 0 ? random.Next(8) : random.Next(distinct);
      if (!table.Add(TraceNumber(which), false, 1 + i % 3)) ++refused;
    }
  });
  done = true;
  reader.join();
  uint64_t weight = 0;
  uint64_t samples = 0;
  table.ForEach([&](const TraceView& trace) {
    weight += trace.weight();
    samples += trace.samples();
    torn += IsWhole(trace) ? 0 : 1;
  });
  const TraceTable::Usage usage = table.usage();
  uint64_t offered = 0;
  for (uint64_t i = 0; i < kRounds; ++i) offered += 1 + i % 3;
  CHECK(torn == 0);
  CHECK(samples + usage.dropped_samples == kThreads * kRounds);
  CHECK(weight + usage.dropped_weight == kThreads * offered);
  // One thread may have been told "stored" while another one was still finding out that there is no
  // room.
  CHECK(usage.dropped_samples >= refused);
  CHECK((usage.dropped_samples > 0) == expect_drops);
  CHECK(usage.bytes_used <= usage.bytes_capacity);
}

TEST_CASE("a table with room keeps every sample of every thread") {
  FillWhileReading(16 << 20, 2000, false);
}

TEST_CASE("a table that gets full counts what it drops, while all threads add") {
  FillWhileReading(TraceTable::kMinBytes, 5000, true);
}

TEST_CASE("threads come and go, and no count is lost with their slots") {
  ThreadSlotPool pool(16);
  std::atomic<bool> done{false};
  std::atomic<bool> stuck{false};
  std::thread reader([&] {
    uint64_t before = 0;
    while (!done.load()) {
      uint64_t sum = 0;
      pool.ForEachEver([&](const ThreadSlot& slot) { sum += slot.received.load(); });
      if (sum < before || !pool.Quiesce(10000000000U)) stuck = true;
      before = sum;
    }
  });
  OnThreads([&](int t) {
    for (uint64_t life = 0; life < 500; ++life) {
      ThreadSlot* slot = pool.Acquire(t + 1);
      SetCurrentSlot(slot);
      slot->state.store(SlotState::kWatched);
      for (uint64_t i = 0; i < 20; ++i) {
        InHandler(CurrentSlot(), [slot] {
          for (int frame = 0; frame < 16; ++frame) slot->frames[frame] = {frame, slot};
        });
      }
      if (life % 2 == 0) SetCurrentSlot(nullptr);
      pool.Release(slot);
      // After its slot was released, a thread that did not clear it must not see one.
      if (CurrentSlot() != nullptr) stuck = true;
    }
  });
  done = true;
  reader.join();
  uint64_t received = 0;
  uint64_t outcomes = 0;
  pool.ForEachEver([&](const ThreadSlot& slot) {
    received += slot.received.load();
    outcomes += slot.signals[0].load();
  });
  CHECK_FALSE(stuck);
  CHECK(received == kThreads * 500 * 20);
  CHECK(outcomes == received);
  CHECK(pool.threads_seen() == kThreads * 500);
}

TEST_CASE("handlers look up code that comes and goes") {
  constexpr uintptr_t kBase = uintptr_t{1} << 40;
  constexpr uintptr_t kSlotBytes = 6000;  // so that ranges cross pages
  constexpr uint64_t kPlaces = 64;
  ThreadSlotPool pool(16);
  CodeRanges ranges([&pool] { return pool.Quiesce(10000000000U); });
  std::atomic<bool> done{false};
  std::atomic<uint64_t> wrong{0};
  std::thread writer([&] {
    Sequence random(99);
    for (uint64_t i = 0; i < kRounds; ++i) {
      const uint64_t place = random.Next(kPlaces);
      const uintptr_t start = kBase + place * kSlotBytes;
      if (random.Next(3) == 0) {
        ranges.Remove(start);
        continue;
      }
      // The bcis say which place they are for.
      const PcBci bcis[] = {{0, static_cast<int32_t>(place)}, {100, static_cast<int32_t>(place)}};
      ranges.Add(start, kSlotBytes, CodeKind::kCompiled, reinterpret_cast<void*>(place + 1), bcis);
    }
    done = true;
  });
  std::atomic<uint64_t> found{0};
  OnThreads([&](int t) {
    ThreadSlot* slot = pool.Acquire(t + 1);
    Sequence random(static_cast<uint64_t>(t));
    do {
      const uint64_t place = random.Next(kPlaces);
      const uintptr_t pc = kBase + place * kSlotBytes + random.Next(kSlotBytes);
      InHandler(slot, [&] {
        const CodeRange* range = ranges.Find(pc);
        if (range == nullptr) return;
        ++found;
        if (!range->Contains(pc) || range->BciAt(pc) != static_cast<int32_t>(place) ||
            range->method != reinterpret_cast<void*>(place + 1))
          ++wrong;
      });
    } while (!done.load());
    pool.Release(slot);
  });
  writer.join();
  CHECK(wrong == 0);
  CHECK(found > 0);
}

}  // namespace
}  // namespace iprof::sampling
