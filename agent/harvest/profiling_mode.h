// ProfilingMode: whether a JVM counts at all, from where, and whether it ever stops.
//
// Guarantees: pure on the JVM's flags. Threads: those of the flags.
// Failure: a JVM whose flags are unknown is taken for one that counts, and stops.
#pragma once

#include <string>

#include "agent/hotspot/vm_flags.h"

namespace iprof::hotspot {

// The option for which compiled code counts nothing in MethodDatas, as it is compiled at tier 2 at most:
// "-XX:TieredStopAtLevel=2". Only the interpreter may count then. An empty text if there is no such option.
std::string WithoutCompiledCounts(const VmFlags& flags);

// The same, or what forbids all compilation, such as "-Xint": why a JVM may have no MethodData at all. A JVM whose
// code cache was full at some time has the flags of one without a compiler, but has MethodDatas.
std::string WithoutProfiling(const VmFlags& flags);
bool RunsWithoutProfiling(const VmFlags& flags);

// Whether a method that has a MethodData is counted to the end: -XX:TieredStopAtLevel=3, no C2.
bool CountsToTheEnd(const VmFlags& flags);

// Whether an AOT cache may have put counts of its training run into MethodDatas (JEP 515). A JVM that
// could not use the cache has the same flags, but no archive.
bool ReplaysTraining(const VmFlags& flags);

}  // namespace iprof::hotspot
