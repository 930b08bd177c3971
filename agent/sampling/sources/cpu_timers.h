// CpuTimers: the source that interrupts each thread once per interval of its own CPU time.
//
// Guarantees:
//  - A thread that does not run costs nothing. Its first interval is a random part of one, so that threads do not march in
//    step.
//  - What a thread has used since its last clock tick when it ends goes to the stack that it was last seen with. A thread
//    that ends unseen leaves what it used to the next short-lived one that was seen, as if the two were one: so thousands of
//    threads, each shorter than a tick, weigh what they used.
//
// Not synchronised: the sampler's lock guards it. Normal threads only.
#pragma once

#include <cstdint>

#include "agent/sampling/core/thread_slot.h"
#include "agent/sampling/core/thread_timer.h"
#include "agent/sampling/core/trace_table.h"

namespace iprof::sampling {

class CpuTimers {
 public:
  CpuTimers(const TimerCalls& calls, int64_t interval_ns);

  // False: the system refuses for now, and the slot wants a timer.
  bool Arm(ThreadSlot* slot, int signal);
  // Gives whether there was a timer. The slot wants none from now on.
  bool Disarm(ThreadSlot* slot);
  // For the thread itself, right after its timer was taken away.
  void WeighEnd(ThreadSlot* slot, TraceTable& table);

  // Intervals that ended threads had used since their last signal: given to stacks, and not yet given.
  uint64_t ended_weight() const { return ended_weight_; }
  uint64_t unseen_weight() const { return unseen_weight_; }

 private:
  uint64_t NextRandom();

  const TimerCalls& calls_;
  const int64_t interval_ns_;
  uint64_t random_;
  uint64_t ended_weight_ = 0;
  uint64_t unseen_weight_ = 0;
};

}  // namespace iprof::sampling
