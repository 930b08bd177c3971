// RollCall: finds the Java threads that existed before the sampler. Each thread of the process is
// asked, by a signal, whether it is one. Its handler answers in its slot (AnswerRollCall in
// sample_handler.cc).
//
// Guarantees: a thread that is asked has exactly one slot, which is in the queue until the answer
// was handled. HotSpot's compiler threads and the ticker are not asked.
// Threads: normal threads only. The sampler's lock guards all of it except AwaitAnswers, which only
// reads.
// Failure: throws std::bad_alloc if memory is short.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <span>
#include <vector>

#include "agent/sampling/core/slot_queue.h"
#include "agent/sampling/core/thread_slot.h"

namespace iprof::sampling {

// A thread that is asked. Its slot may get another owner when it has answered.
struct CalledThread {
  ThreadSlot* slot;
  pid_t tid;
};

// Creates slots for the threads that have none yet and puts them into the queue. Does not ask them
// yet.
std::vector<CalledThread> SlotsForUnknownThreads(ThreadSlotPool& pool, pid_t ticker,
                                                 SlotQueue& queue);

// Asks one thread. Returns false if too many signals are pending; the slot is then marked for a
// retry. A thread that has ended counts as "not Java".
bool AskThread(ThreadSlot* slot, int signal);

// Far longer than a thread that takes the signal needs for its answer.
inline constexpr std::chrono::milliseconds kAnswerPatience{500};

// Waits until all of these have answered that can. A thread that blocks the signal answers when it unblocks it.
void AwaitAnswers(std::span<const CalledThread> called, int signal,
                  std::chrono::milliseconds patience = kAnswerPatience);

}  // namespace iprof::sampling
