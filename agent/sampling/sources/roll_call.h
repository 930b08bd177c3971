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

#include <span>
#include <vector>

#include "agent/sampling/core/slot_queue.h"
#include "agent/sampling/core/thread_slot.h"

namespace iprof::sampling {

// Creates slots for the threads that have none yet and puts them into the queue. Does not ask them
// yet.
std::vector<ThreadSlot*> SlotsForUnknownThreads(ThreadSlotPool& pool, pid_t ticker,
                                                SlotQueue& queue);

// Asks one thread. Returns false if too many signals are pending; the slot is then marked for a
// retry. A thread that has ended counts as "not Java".
bool AskThread(ThreadSlot* slot, int signal);

// Waits until all of these have answered, at most half a second.
void AwaitAnswers(std::span<ThreadSlot* const> asked);

}  // namespace iprof::sampling
