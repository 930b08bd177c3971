// WallTicks: the source that interrupts every watched thread once per interval of wall time, also
// sleeping and parked ones.
//
// Guarantees: signals do not pile up. If a thread has not run since its last signal, the intervals
// that pass are added up, and its next signal stands for all of them.
// Threads: the ticker only; the sampler's lock guards the slots. Failure: a signal that the system
// refuses is sent at a later tick, with its weight.
#pragma once

#include <cstdint>

#include "agent/sampling/core/thread_slot.h"

namespace iprof::sampling {

// Call it when `ticks` intervals have passed.
void SendWallSignals(ThreadSlotPool& pool, int signal, uint64_t ticks);

}  // namespace iprof::sampling
