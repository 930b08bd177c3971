// HarvestCore: reads the counters of a HotSpot JVM from its core file.
//
// Guarantees: reads files only. A libjvm.so is used only if its build id is that of the core's, or,
// where a build has none, if its first page is the same; a class-data archive only if its header is
// that of the core's.
// Threads: one. Failure: one sentence that names the file and says what helps.
#pragma once

#include <string>

#include "cli/live/harvest_process.h"

namespace iprof::cli {

struct CoreFiles {
  std::string core;
  std::string libjvm;  // empty: that of the path in the core
};

// `naming_jdk`: as of HarvestProcess.
Result<ProcessHarvest> HarvestCore(const CoreFiles& files, int naming_jdk);

}  // namespace iprof::cli
