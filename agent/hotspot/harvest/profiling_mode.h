// ProfilingMode: whether a JVM counts at all, from where, and whether it ever stops.
//
// Guarantees: pure on the JVM's flags. Threads: those of the flags.
// Failure: a JVM whose flags are unknown is taken for one that counts, and stops.
#pragma once

#include "agent/hotspot/vm_flags.h"

namespace iprof::hotspot {

// Whether the flags forbid every MethodData: -Xint, or no compilation above tier 2.
bool RunsWithoutProfiling(const VmFlags& flags);

// Whether a method that has a MethodData is counted to the end: -XX:TieredStopAtLevel=3, no C2.
bool CountsToTheEnd(const VmFlags& flags);

// Whether an AOT cache may have put counts of its training run into MethodDatas (JEP 515). A JVM that
// could not use the cache has the same flags, but no archive.
bool ReplaysTraining(const VmFlags& flags);

}  // namespace iprof::hotspot
