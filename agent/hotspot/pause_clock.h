// PauseClock: how long this JVM has stood at safepoints so far, from the JVM's own performance counters.
//
// Why: a batch of retransformed classes costs one pause of the whole program. JVMTI tells the time of the call, most of which is no pause.
// HotSpot counts the time at safepoints in its performance memory ("sun.rt.safepointTime"), unless -XX:-UsePerfData.
//
// Guarantees: reads the counters' memory only, within its bounds; damaged or missing counters mean nothing, never a guess. Other pauses
// (collections) count as well. Any thread. The VmStructs must outlive the object.
#pragma once

#include <chrono>
#include <optional>

#include "agent/hotspot/vm_structs.h"

namespace iprof::hotspot {

class PauseClock {
 public:
  // Finds the counter; that may be too early before the JVM is initialised.
  explicit PauseClock(const VmStructs& structs);

  // The sum of all pauses since the JVM started; nothing where the JVM does not count them.
  std::optional<std::chrono::nanoseconds> Total() const;

 private:
  const Memory& memory_;
  Address ticks_ = 0;
  int64_t frequency_hz_ = 0;
};

}  // namespace iprof::hotspot
