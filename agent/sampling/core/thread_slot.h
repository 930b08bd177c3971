// ThreadSlot: everything that sampling keeps for one thread, and how a signal handler finds it.
//
// Guarantees:
//  - CurrentSlot() is async-signal-safe: one load of an initial-exec thread-local. (The general
//    model may allocate on first use. The initial-exec model needs room in the static TLS block:
//    glibc keeps some for libraries that are loaded late, musl does not. So all access goes through
//    these two functions.)
//  - A slot's memory is never given back, so that a late signal that still points to it meets valid
//    memory. A slot that was released is used again, with its counters: they are sums over all
//    threads that had it.
//  - Between sampling sessions counters are reset; while one runs they only grow.
//  - Counters are written by the slot's own thread only (relaxed atomics), and may be read by any.
//
// Who calls: the pool's functions from normal threads (it takes a lock; nobody calls the JVM under
// it); the handler touches only its own slot.
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
  kCalled,    // a roll call was sent to the thread, it has not answered
  kAnswered,  // it answered and is a Java thread; no timer yet
  kNotJava,   // it answered and is none
  kWatched,   // sampled
};

struct alignas(64) ThreadSlot {
  // The thread.
  std::atomic<SlotState> state{SlotState::kFree};
  std::atomic<uint64_t> generation{0};  // counts owners: a thread whose slot was given away notices
  std::atomic<void*> env{nullptr};
  const ThreadSlotPool* pool = nullptr;
  pid_t tid = 0;
  bool ask_env = false;     // found by roll call: the JNIEnv is asked for at each sample, since the
                            // thread may detach
  uintptr_t stack_low = 0;  // 0: unknown
  uintptr_t stack_high = 0;

  // Its timer; the pool's lock guards these.
  bool has_timer = false;
  timer_t timer{};
  bool wants_timer = false;  // refused by the system, to be tried again
  bool wants_call = false;   // the same for the roll call's signal
  uint32_t rounds_between_calls = 1;
  uint32_t rounds_to_call = 1;
  bool is_queued = false;  // SlotQueue's
  ThreadSlot* next_queued = nullptr;
  uint64_t cpu_at_start_ns = 0;
  uint64_t cpu_at_arming_ns = 0;
  uint64_t first_expiry_ns = 0;  // after that

  // Wall sampling: intervals that the thread is owed since its last signal was sent, and whether
  // that one is under way.
  uint64_t owed = 0;  // the ticker's
  std::atomic<uint64_t> sent_weight{
      0};  // what the signal under way stands for; its handler takes it
  std::atomic<bool> signal_pending{false};

  // Inside the handler.
  std::atomic<uint64_t> sequence{0};  // odd while a handler runs
  std::atomic<bool> guard_armed{false};
  bool crashed = false;  // no longer sampled
  sigjmp_buf escape;
  ucontext_t context;           // the copy that recovery changes
  CallFrame* frames = nullptr;  // depth + 2

  // What this thread's samples stand for so far, and what became of the last one: the last that was
  // stored, once any was. The thread's own.
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

// Adds without a locked instruction: only the slot's own thread writes.
inline void AddOwned(std::atomic<uint64_t>& counter, uint64_t amount) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

// Null where the thread has none, or where its slot belongs to another thread by now.
ThreadSlot* CurrentSlot() noexcept;
void SetCurrentSlot(ThreadSlot* slot) noexcept;

// The thread's kernel id; async-signal-safe.
pid_t CurrentTid() noexcept;

class ThreadSlotPool {
 public:
  explicit ThreadSlotPool(int32_t depth) : depth_(depth) {}
  ThreadSlotPool(const ThreadSlotPool&) = delete;
  ThreadSlotPool& operator=(const ThreadSlotPool&) = delete;

  int32_t depth() const { return depth_; }

  // A clean slot for this thread, or null when the system has no memory. Holds the lock only for
  // itself.
  ThreadSlot* Acquire(pid_t tid);
  void Release(ThreadSlot* slot);
  void ReleaseAll();

  // Runs visit(ThreadSlot&) for each slot that is not free, under the lock.
  void ForEachUsed(const std::function<void(ThreadSlot&)>& visit);
  // The same for those of the next `count` slots after the last ones, round and round. Without the
  // lock, so that visit may release the slot.
  void ForNextUsed(size_t count, const std::function<void(ThreadSlot&)>& visit);
  // All counters back to zero: between sessions, when no handler runs.
  void ResetCounters();
  // For reading counters: free slots too.
  void ForEachEver(const std::function<void(const ThreadSlot&)>& visit) const;

  // Waits until every handler that runs now has returned. False: one was still inside at the
  // deadline.
  bool Quiesce(uint64_t timeout_ns) const;

  uint64_t threads_seen() const { return threads_seen_.load(std::memory_order_relaxed); }

 private:
  bool Grow();
  void ReleaseLocked(ThreadSlot* slot);

  const int32_t depth_;
  mutable std::mutex lock_;
  std::vector<ThreadSlot*> all_;
  std::vector<ThreadSlot*> free_;
  size_t next_ = 0;  // where ForNextUsed goes on
  std::atomic<uint64_t> threads_seen_{0};
};

}  // namespace iprof::sampling
