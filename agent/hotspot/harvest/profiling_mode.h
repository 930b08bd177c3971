// ProfilingMode: whether a JVM counts at all.
//
// Guarantees: pure on the JVM's flags. Threads: those of the flags.
// Failure: a JVM whose flags are unknown is taken for one that counts.
#pragma once

#include "agent/hotspot/vm_flags.h"

namespace iprof::hotspot {

// Whether the flags forbid every MethodData: -Xint, or no compilation above tier 2.
bool RunsWithoutProfiling(const VmFlags& flags);

}  // namespace iprof::hotspot
