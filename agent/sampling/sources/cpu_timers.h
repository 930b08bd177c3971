// CpuTimers: the source that interrupts each thread once per interval of its own CPU time.
//
// Guarantees:
// - A thread that does not run costs nothing. Its first interval is shortened at random, so that
//   threads are not in step.
// - When a thread ends, the time since its last clock tick is added to the stack that it was last
//   seen with. If it ends before its first sample, its time is added to the next short-lived thread
//   that is seen. So thousands of threads that are each shorter than a tick together have the right
//   weight.
// - The interval can change while threads run. Weights count first intervals all the while.
//
// Threads: normal threads only; not synchronised: the sampler's lock guards it.
// Failure: Arm returns false; the sampler retries later.
#pragma once

#include <cstdint>

#include "agent/sampling/core/thread_slot.h"
#include "agent/sampling/core/thread_timer.h"
#include "agent/sampling/core/trace_table.h"

namespace iprof::sampling {

class CpuTimers {
 public:
  CpuTimers(const TimerCalls& calls, int64_t first_interval_ns);

  // The interval of timers that are armed from now on, in first intervals. Others need Rearm.
  void SetUnits(uint64_t units) { units_ = units; }
  // Gives the timer, if there is one, the present interval.
  void Rearm(ThreadSlot* slot);

  // Returns false if the system refuses for now; the slot is then marked for a retry.
  bool Arm(ThreadSlot* slot, int signal);
  // Returns whether there was a timer. Also cancels a wanted retry.
  bool Disarm(ThreadSlot* slot);
  // Called by the thread itself, right after its timer was deleted.
  void WeighEnd(ThreadSlot* slot, TraceTable& table);

  // Intervals that ended threads had used since their last signal: those added to stacks, and those
  // not added yet.
  uint64_t ended_weight() const { return ended_weight_; }
  uint64_t unseen_weight() const { return unseen_weight_; }

 private:
  uint64_t NextRandom();
  int64_t interval_ns() const { return first_interval_ns_ * static_cast<int64_t>(units_); }
  void BeginInterval(ThreadSlot* slot);
  uint64_t DueWeight(const ThreadSlot& slot, uint64_t used) const;

  const TimerCalls& calls_;
  const int64_t first_interval_ns_;
  uint64_t units_ = 1;
  uint64_t random_;
  uint64_t ended_weight_ = 0;
  uint64_t unseen_weight_ = 0;
};

}  // namespace iprof::sampling
