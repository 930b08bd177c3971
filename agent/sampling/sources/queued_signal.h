// QueuedSignal: sends the sampling signal to one thread, together with its slot.
//
// Guarantees: the handler knows by kQueuedMark and our pid that the signal is ours. No lock, no
// allocation.
// Threads: any normal thread. Failure: returns an errno.
#pragma once

#include <sys/types.h>

#include "agent/sampling/core/thread_slot.h"

namespace iprof::sampling {

// Returns 0 or an errno: ESRCH if the thread is gone, EAGAIN if too many signals are pending.
int QueueSignal(pid_t tid, int signal, ThreadSlot* slot);

}  // namespace iprof::sampling
