// The periodic part of the sampler: answers to the roll call, retries, wall sampling, and checks of
// threads and of the signal.
//
// Its cost must not grow with the number of sleeping threads: it visits only the slots in the
// queue, and a fixed number of others per second.
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "agent/sampling/core/sample_handler.h"
#include "agent/sampling/core/sample_signal.h"
#include "agent/sampling/core/thread_slot.h"
#include "agent/sampling/sampler.h"
#include "agent/sampling/sources/process_threads.h"
#include "agent/sampling/sources/queued_signal.h"
#include "agent/sampling/sources/roll_call.h"

namespace iprof::sampling {
namespace {

// Interrupts every watched thread, also sleeping and parked ones, when `ticks` intervals of wall time have passed. Signals do
// not pile up: if a thread has not run since its last signal, the intervals that pass are added up, and its next signal stands
// for all of them.
void SendWallSignals(ThreadSlotPool& pool, int signal, uint64_t ticks) {
  pool.ForEachUsed([&](ThreadSlot& slot) {
    if (slot.state.load(std::memory_order_acquire) != SlotState::kWatched) return;
    slot.owed += ticks;
    if (slot.signal_pending.load(std::memory_order_acquire)) return;
    // If weight is left, the kernel dropped the last signal.
    slot.owed += slot.sent_weight.exchange(0, std::memory_order_acq_rel);
    slot.sent_weight.store(slot.owed, std::memory_order_release);
    slot.signal_pending.store(true, std::memory_order_release);
    if (QueueSignal(slot.tid, signal, &slot) == 0) {
      slot.owed = 0;
    } else {
      slot.signal_pending.store(false, std::memory_order_release);
      slot.owed = slot.sent_weight.exchange(0, std::memory_order_acq_rel);
    }
  });
}

using Clock = std::chrono::steady_clock;

constexpr auto kBusyPeriod = std::chrono::milliseconds(100);
constexpr auto kCalmPeriod = std::chrono::seconds(1);
// Between two looks at an interval that adapts.
constexpr auto kPacePeriod = std::chrono::milliseconds(200);
// Answers may come this long after a roll call.
constexpr auto kAnswersMayCome = std::chrono::seconds(3);
// How many threads per second are checked for whether they have ended without telling.
constexpr size_t kLooksAtOnce = 64;

}  // namespace

// Call it under lock_. Once the signal is lost it stays lost; the ticker ends sampling at its next
// check.
bool Sampler::SignalIsOurs() {
  if (signal_owner_ == SignalOwner::kUs) signal_owner_ = OwnerOf(signal_, OnSampleSignal);
  return signal_owner_ == SignalOwner::kUs;
}

// Asks the thread whether it is a Java thread. Called under lock_, which the thread's handler does
// not take.
void Sampler::Call(ThreadSlot* slot) {
  if (!AskThread(slot, signal_)) ++timer_failures_;
}

void Sampler::RollCall() {
  std::vector<CalledThread> called;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    if (shared_->stopped.load(std::memory_order_relaxed) || !SignalIsOurs()) return;
    called = SlotsForUnknownThreads(*pool_, ticker_tid_, queue_);
    last_roll_call_ = Clock::now();
  }
  for (const auto& [slot, tid] : called) {
    // per slot, because threads that start wait for this lock
    const std::lock_guard<std::mutex> guard(lock_);
    // The thread may have ended since, and the slot may belong to another one.
    if (slot->state.load(std::memory_order_acquire) == SlotState::kCalled) Call(slot);
  }
  AwaitAnswers(called, signal_);
  Settle();
}

// Handles answers to the roll call, and retries timers and roll-call signals that were refused.
// When the system refuses one, all others wait for the next round, because they share the limit.
void Sampler::Settle() {
  const std::lock_guard<std::mutex> guard(lock_);
  if (shared_->stopped.load(std::memory_order_relaxed) || !SignalIsOurs()) return;
  bool refused = false;
  for (size_t left = queue_.size(); left > 0; --left) {
    ThreadSlot* slot = queue_.Pop();
    try {
      switch (slot->state.load(std::memory_order_acquire)) {
        case SlotState::kAnswered:
          Watch(slot);
          refused = refused || slot->wants_timer;
          break;
        case SlotState::kNotJava:
          pool_->Release(slot);
          break;
        case SlotState::kCalled:
          // A standard signal may have been dropped because another one was pending.
          if ((slot->wants_call || !IsQueued(signal_)) && !refused && --slot->rounds_to_call == 0)
            Call(slot);
          refused = refused || slot->wants_call;
          slot->rounds_to_call = std::max(slot->rounds_to_call, 1U);
          queue_.Push(slot);
          break;
        case SlotState::kWatched:
          if (!slot->wants_timer) break;
          if (refused) {
            queue_.Push(slot);
          } else {
            Arm(slot);
            refused = slot->wants_timer;
          }
          break;
        case SlotState::kFree:
          break;
      }
    } catch (...) {
      queue_.Push(slot);
      throw;
    }
  }
}

// A thread that ends without ThreadEnding leaves its slot and a timer that never fires. Freeing
// them is not urgent. But if many are found at once, there may be many more, so continue.
void Sampler::LookForGone() {
  const std::lock_guard<std::mutex> guard(lock_);
  size_t gone = 0;
  do {
    if (shared_->stopped.load(std::memory_order_relaxed)) return;
    gone = 0;
    pool_->ForNextUsed(kLooksAtOnce, [&](ThreadSlot& slot) {
      const SlotState state = slot.state.load(std::memory_order_acquire);
      if (state != SlotState::kCalled && state != SlotState::kWatched) return;
      if (!ThreadIsGone(slot.tid)) return;
      Dismiss(&slot);
      pool_->Release(&slot);
      ++gone;
    });
  } while (gone > kLooksAtOnce / 2);
}

void Sampler::Tick(uint64_t ticks) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (SignalIsOurs()) SendWallSignals(*pool_, signal_, ticks);
}

// Returns whether sampling continues. If the signal is no longer ours, ends sampling and keeps the
// samples.
bool Sampler::LookAtSignal() {
  SignalOwner owner = SignalOwner::kUs;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    if (shared_->stopped.load(std::memory_order_relaxed) || SignalIsOurs()) return true;
    owner = signal_owner_;
    stopped_after_ns_ =
        static_cast<uint64_t>(std::chrono::nanoseconds(Clock::now() - started_).count());
  }
  EndSampling();
  if (hooks_.on_signal_lost) hooks_.on_signal_lost(signal_, owner);
  return false;
}

// Whether the next check should come soon: a reset signal could end the process, or answers are
// expected.
bool Sampler::IsBusy() {
  const std::lock_guard<std::mutex> guard(lock_);
  return EndsProcessByDefault(signal_) ||
         (queue_.size() > 0 && Clock::now() - last_roll_call_ < kAnswersMayCome);
}

void Sampler::KeepPace() {
  const std::lock_guard<std::mutex> guard(lock_);
  if (shared_->stopped.load(std::memory_order_relaxed) || !SignalIsOurs()) return;
  if (pace_.Look(shared_->pace.Read())) UseInterval();
}

void Sampler::TickerLoop() {
  pthread_setname_np(pthread_self(), "iprof-sampler");
  const bool wall = options_.event == SampleEvent::kWall;
  const auto interval = std::chrono::nanoseconds(options_.interval_ns);
  auto next_look = Clock::now() + kBusyPeriod;
  auto next_calm_look = Clock::now() + kCalmPeriod;
  auto next_signal = Clock::now() + interval;
  auto next_pace = Adapts() ? Clock::now() + kPacePeriod : Clock::time_point::max();
  std::unique_lock<std::mutex> guard(ticker_lock_);
  ticker_tid_ = CurrentTid();
  ticker_wake_.notify_all();
  while (!ticker_stop_) {
    auto next = std::min(next_look, next_pace);
    if (wall) next = std::min(next, next_signal);
    ticker_wake_.wait_until(guard, next);
    if (ticker_stop_) break;
    guard.unlock();
    const auto now = Clock::now();
    bool goes_on = true;
    try {
      if (wall && now >= next_signal) {
        const auto ticks = 1 + (now - next_signal) / interval;
        next_signal += ticks * interval;
        Tick(static_cast<uint64_t>(ticks));
      }
      if (now >= next_pace) {
        next_pace = now + kPacePeriod;
        KeepPace();
      }
      if (now >= next_look) {
        next_look = now + (IsBusy() ? Clock::duration(kBusyPeriod) : kCalmPeriod);
        goes_on = LookAtSignal();
        Settle();
      }
      if (now >= next_calm_look) {
        next_calm_look = now + kCalmPeriod;
        LookForGone();
      }
    } catch (...) {
      // Out of memory: the next round finds the work that was not done. An exception that left the
      // thread would end the process.
    }
    guard.lock();
    if (!goes_on) break;
  }
}

}  // namespace iprof::sampling
