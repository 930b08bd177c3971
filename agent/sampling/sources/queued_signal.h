// QueuedSignal: the sampling signal, sent by ourselves to one thread, with the slot that it is meant for.
//
// Guarantees: the handler knows such a signal from everybody else's by kQueuedMark and our own pid. No lock, no allocation.
// Any normal thread.
#pragma once

#include <sys/types.h>

#include "agent/sampling/core/thread_slot.h"

namespace iprof::sampling {

// 0 or an errno: ESRCH when the thread is gone, EAGAIN when too many signals are pending.
int QueueSignal(pid_t tid, int signal, ThreadSlot* slot);

}  // namespace iprof::sampling
