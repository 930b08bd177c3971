// PerfData: the texts in the file in which HotSpot publishes its counters (hsperfdata), by name.
//
// Why: it has the main class, the version and whether attaching is possible, without attaching. The
// file is missing where the JVM runs with -XX:-UsePerfData or cannot write to /tmp.
//
// Guarantees: reads nothing outside the bytes, which may be anything: another process writes them, even
// while they are read. Pure.
// Threads: any. Failure: none; what is not understood is left out.
#pragma once

#include <map>
#include <span>
#include <string>

namespace iprof::jvm {

using PerfTexts = std::map<std::string, std::string, std::less<>>;

PerfTexts ReadPerfTexts(std::span<const char> bytes);

// Whether the file says that its JVM is still starting: HotSpot marks it when JVMTI begins its live phase,
// before which no agent can be loaded.
bool SaysStarting(std::span<const char> bytes);

}  // namespace iprof::jvm
