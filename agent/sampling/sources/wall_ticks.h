// WallTicks: the source that interrupts every watched thread once per interval of wall time, sleeping and parked ones too.
//
// Guarantees: signals do not pile up. A thread that has not run since its last signal is owed the intervals that pass, and
// its next signal stands for all of them. Not synchronised: the sampler's lock guards it; the ticker calls.
#pragma once

#include <cstdint>

#include "agent/sampling/core/thread_slot.h"

namespace iprof::sampling {

// `ticks` intervals have passed.
void SendWallSignals(ThreadSlotPool& pool, int signal, uint64_t ticks);

}  // namespace iprof::sampling
