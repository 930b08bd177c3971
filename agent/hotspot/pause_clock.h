// PauseClock: the total time that this JVM has spent at safepoints, from its own performance
// counters.
//
// Why: each batch of retransformed classes stops the whole program once. The duration of the JVMTI
// call is not that pause: most of the call runs while the program does. HotSpot adds up the time at
// safepoints in its performance memory ("sun.rt.safepointTime"), unless -XX:-UsePerfData is set.
//
// Guarantees: walks a bounded number of counters and never guesses. The total includes all other
// pauses, such as those of garbage collections. The VmStructs must outlive the object.
// Threads: any.
// Failure: Total returns nullopt if the counters are missing or damaged.
#pragma once

#include <chrono>
#include <optional>

#include "agent/hotspot/vm_structs.h"

namespace iprof::hotspot {

class PauseClock {
 public:
  // Looks the counter up. It may not exist yet before the JVM is initialised.
  explicit PauseClock(const VmStructs& structs);

  // The sum of all pauses since the JVM started, or nullopt if the JVM does not count them.
  std::optional<std::chrono::nanoseconds> Total() const;

 private:
  const Memory& memory_;
  Address ticks_ = 0;
  int64_t frequency_hz_ = 0;
};

}  // namespace iprof::hotspot
