// ThreadSlot: everything that sampling keeps for one thread, and how a signal handler finds it.
//
// Guarantees:
// - CurrentSlot() is async-signal-safe: it loads a thread-local whose first use allocates nothing
//   (thread_slot.cc says how, on glibc and on musl). So all access goes through CurrentSlot and
//   SetCurrentSlot.
// - A slot's memory is never freed, so a late signal that still points to it finds valid memory. A
//   released slot is reused and keeps its counters: they are sums over all threads that had it.
// - Counters are reset between sampling sessions. During a session they only grow.
// - Only the slot's own thread writes counters (relaxed atomics); any thread may read them.
// Threads: the pool's functions on normal threads. They take a lock, and must not call the JVM
// while they hold it. The handler uses only its own slot.
// Failure: Acquire returns null if memory is short; Quiesce returns false on timeout.
#pragma once

#include <setjmp.h>
#include <sys/types.h>
#include <time.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "agent/sampling/core/call_trace.h"
#include "agent/sampling/core/sample_outcome.h"

namespace iprof::sampling {

class ThreadSlotPool;

enum class SlotState : uint8_t {
  kFree,
  kCalled,    // the thread was asked by the roll call and has not answered
  kAnswered,  // it answered that it is a Java thread; no timer yet
  kNotJava,   // it answered that it is not a Java thread
  kWatched,   // sampled
};

struct alignas(64) ThreadSlot {
  // The thread.
  std::atomic<SlotState> state{SlotState::kFree};
  // counts owners: a thread notices if its slot was given away
  std::atomic<uint64_t> generation{0};
  std::atomic<void*> env{nullptr};
  const ThreadSlotPool* pool = nullptr;
  pid_t tid = 0;
  // What the thread is called: a number that SamplerHooks::thread_of gave; 0: not known.
  std::atomic<uint32_t> thread{0};
  // Found by the roll call: ask for the JNIEnv at each sample, because the thread may detach.
  bool ask_env = false;
  uintptr_t stack_low = 0;  // 0: unknown
  uintptr_t stack_high = 0;

  // Its timer. The pool's lock guards these.
  bool has_timer = false;
  timer_t timer{};
  bool wants_timer = false;  // the system refused one; retry
  bool wants_call = false;   // the system refused the roll call's signal; retry
  uint32_t rounds_between_calls = 1;
  uint32_t rounds_to_call = 1;
  bool is_queued = false;  // for SlotQueue
  ThreadSlot* next_queued = nullptr;
  uint64_t cpu_at_start_ns = 0;
  uint64_t cpu_at_arming_ns = 0;
  uint64_t first_expiry_ns = 0;  // after cpu_at_arming_ns
  uint64_t due_before = 0;       // weight until then, with other intervals
  // How many first intervals the timer's interval is; its handler weighs with it.
  std::atomic<uint64_t> units{1};

  // Wall sampling: the intervals since the thread's last signal was sent, and whether that signal
  // is still under way.
  uint64_t owed = 0;  // written by the ticker
  // The intervals that the signal in flight stands for; its handler takes them.
  std::atomic<uint64_t> sent_weight{0};
  std::atomic<bool> signal_pending{false};

  // State of the handler.
  std::atomic<uint64_t> sequence{0};  // odd while a handler runs
  std::atomic<bool> guard_armed{false};
  bool crashed = false;  // sampled no more
  sigjmp_buf escape;
  ucontext_t context;           // a copy that recovery changes
  CallFrame* frames = nullptr;  // room for depth + 2

  // Written by this thread only: the total weight of its samples, and the outcome and trace of the
  // last one. Once a trace was stored, last_outcome and last_trace describe the last sample that was stored.
  static constexpr size_t kNoTrace = SIZE_MAX;
  uint64_t taken_weight = 0;
  size_t last_trace = kNoTrace;
  SampleOutcome last_outcome = SampleOutcome::kGood;

  // Counters.
  std::array<std::atomic<uint64_t>, kSampleOutcomeCount> signals{};
  std::array<std::atomic<uint64_t>, kSampleOutcomeCount> weight{};
  std::atomic<uint64_t> received{0};
  std::atomic<uint64_t> raw_failed{0};
  std::atomic<uint64_t> raw_failed_weight{0};
  std::atomic<uint64_t> cut{0};
  std::atomic<uint64_t> handler_ns{0};
};

// Adds without a locked instruction, because only the slot's own thread writes.
inline void AddOwned(std::atomic<uint64_t>& counter, uint64_t amount) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

// Null if the thread has no slot, or if its slot belongs to another thread by now.
ThreadSlot* CurrentSlot() noexcept;
void SetCurrentSlot(ThreadSlot* slot) noexcept;

// The thread's kernel id; async-signal-safe.
pid_t CurrentTid() noexcept;

// Async-signal-safe.
uint64_t MonotonicNs() noexcept;

class ThreadSlotPool {
 public:
  static constexpr size_t kSlotsAtOnce = 16;

  explicit ThreadSlotPool(int32_t depth) : depth_(depth) {}
  ThreadSlotPool(const ThreadSlotPool&) = delete;
  ThreadSlotPool& operator=(const ThreadSlotPool&) = delete;

  int32_t depth() const { return depth_; }

  // Returns a clean slot for this thread, or null if the system has no memory. Does not call
  // anything while it holds the lock.
  ThreadSlot* Acquire(pid_t tid);
  void Release(ThreadSlot* slot);
  void ReleaseAll();

  // Calls visit(ThreadSlot&) for each slot that is not free, under the lock.
  void ForEachUsed(const std::function<void(ThreadSlot&)>& visit);
  // The same for the used slots among the next `count` ones, continuing where the last call ended
  // and wrapping around. visit runs without the lock, so it may release the slot.
  void ForNextUsed(size_t count, const std::function<void(ThreadSlot&)>& visit);
  // Resets all counters. Call it only between sessions, while no handler runs.
  void ResetCounters();
  // Also visits free slots; for reading counters.
  void ForEachEver(const std::function<void(const ThreadSlot&)>& visit) const;

  // Waits until every handler that is running now has returned. Returns false if one had not at the
  // deadline.
  bool Quiesce(uint64_t timeout_ns) const;

  // Resident memory of all slots.
  size_t memory_bytes() const;

  uint64_t threads_seen() const { return threads_seen_.load(std::memory_order_relaxed); }

 private:
  bool Grow();
  void ReleaseLocked(ThreadSlot* slot);

  const int32_t depth_;
  mutable std::mutex lock_;
  std::vector<ThreadSlot*> all_;
  size_t mapping_bytes_ = 0;  // of each group of kSlotsAtOnce slots
  std::vector<ThreadSlot*> free_;
  size_t next_ = 0;  // where ForNextUsed continues
  std::atomic<uint64_t> threads_seen_{0};
};

}  // namespace iprof::sampling
