#include "agent/sampling/sources/cpu_timers.h"

#include <chrono>
#include <utility>

namespace iprof::sampling {
namespace {

// Threads that use less than this (a few clock ticks) are likely to end before a sample, so their
// time is added to each other's.
constexpr uint64_t kShortLifeNs = 64000000;

}  // namespace

CpuTimers::CpuTimers(const TimerCalls& calls, int64_t first_interval_ns)
    : calls_(calls),
      first_interval_ns_(first_interval_ns),
      random_(static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) |
              1) {}

uint64_t CpuTimers::NextRandom() {  // xorshift64*
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  return random_ * 0x2545f4914f6cdd1dU;
}

void CpuTimers::BeginInterval(ThreadSlot* slot) {
  slot->first_expiry_ns = 1 + NextRandom() % static_cast<uint64_t>(interval_ns());
  slot->cpu_at_arming_ns = CpuTimeNs(slot->tid);
  slot->units.store(units_, std::memory_order_relaxed);
}

bool CpuTimers::Arm(ThreadSlot* slot, int signal) {
  BeginInterval(slot);
  const int error = ArmThreadTimer(calls_, slot->tid, signal, slot, interval_ns(),
                                   static_cast<int64_t>(slot->first_expiry_ns), &slot->timer);
  slot->has_timer = error == 0;
  slot->wants_timer = error != 0;
  return slot->has_timer;
}

// A signal that is under way was sent for the old interval and weighs by the new one: at most one of each thread.
void CpuTimers::Rearm(ThreadSlot* slot) {
  if (!slot->has_timer) return;
  const uint64_t now = CpuTimeNs(slot->tid);
  if (now < slot->cpu_at_arming_ns) return;  // the thread has ended
  slot->due_before += DueWeight(*slot, now - slot->cpu_at_arming_ns);
  BeginInterval(slot);
  RearmThreadTimer(calls_, slot->timer, interval_ns(), static_cast<int64_t>(slot->first_expiry_ns));
}

// What the thread's signals would weigh by now if none came late.
uint64_t CpuTimers::DueWeight(const ThreadSlot& slot, uint64_t used) const {
  if (used < slot.first_expiry_ns) return 0;
  const uint64_t units = slot.units.load(std::memory_order_relaxed);
  const uint64_t interval = units * static_cast<uint64_t>(first_interval_ns_);
  return units * (1 + (used - slot.first_expiry_ns) / interval);
}

bool CpuTimers::Disarm(ThreadSlot* slot) {
  const bool armed = slot->has_timer;
  if (armed) DisarmThreadTimer(calls_, slot->timer);
  slot->has_timer = slot->wants_timer = false;
  return armed;
}

// The timer's signals come only at clock ticks. The intervals that expired between the last tick
// and the deletion of the timer are added here. If a signal of this timer is still pending, it has
// no weight (sample_handler.cc).
void CpuTimers::WeighEnd(ThreadSlot* slot, TraceTable& table) {
  const uint64_t used = CpuTimeNs(slot->tid) - slot->cpu_at_arming_ns;
  const uint64_t due = slot->due_before + DueWeight(*slot, used);
  uint64_t owed = due > slot->taken_weight ? due - slot->taken_weight : 0;
  if (slot->taken_weight == 0) {
    unseen_weight_ += owed;
    return;
  }
  if (slot->last_trace != ThreadSlot::kNoTrace) {
    if (slot->due_before == 0 && used < kShortLifeNs) owed += std::exchange(unseen_weight_, 0);
    table.AddWeight(slot->last_trace, owed);
  }
  AddOwned(slot->weight[static_cast<size_t>(slot->last_outcome)], owed);
  ended_weight_ += owed;
}

}  // namespace iprof::sampling
