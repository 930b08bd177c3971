// RollCall: finds the Java threads that were there before the sampler: each thread of the process is asked, by a signal,
// whether it is one. Its handler answers in its slot (AnswerRollCall in sample_handler.cc).
//
// Guarantees: a thread that was asked gets one slot, which is in the queue until the answer was acted on. HotSpot's compiler
// threads and ourselves are not asked. Not synchronised: the sampler's lock guards all but AwaitAnswers, which only reads.
// Normal threads only; running out of memory throws.
#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

#include "agent/sampling/core/slot_queue.h"
#include "agent/sampling/core/thread_slot.h"

namespace iprof::sampling {

// Slots for the threads that have none yet, put into the queue; nobody is asked so far.
std::vector<ThreadSlot*> SlotsForUnknownThreads(ThreadSlotPool& pool, pid_t ticker,
                                                SlotQueue& queue);

// Asks. False: too many signals are pending, and the slot wants to be asked later. A thread that is gone has answered no.
bool AskThread(ThreadSlot* slot, int signal);

// Waits, half a second at most, until nobody of these still owes an answer.
void AwaitAnswers(std::span<ThreadSlot* const> asked);

}  // namespace iprof::sampling
