// CountAnew: lets HotSpot count the hot classes of a program from zero before a harvest, so that the profile shows what
// the program does now.
//
// Guarantees: does what 'iprof refresh' does (agent/vm/classes/refresher.h), and leaves as little behind. An interrupt
// ends the wait early.
// Threads: one, which has HeldSignals. Failure: one sentence that names the process; also where the program ended, since its
// counters ended with it.
//
// Example: of a program whose branch was taken in 90 % of all cases until C2 compiled it, and in 10 % since, a harvest has 90 %.
// After CountAnew(process, 5s) it has 10 %.
#pragma once

#include <chrono>
#include <string>

#include "cli/jvm/jvm_connection.h"
#include "cli/jvm/process.h"
#include "cli/terminal/console.h"
#include "writer/base/status.h"

namespace iprof::cli {

struct FreshCounts {
  std::string said;                     // by the JVM: how many classes, and what it cost
  std::chrono::milliseconds waited{0};  // while HotSpot counted
};

Result<FreshCounts> CountAnew(const jvm::Process& process, std::chrono::milliseconds time,
                              const jvm::AttachTimeouts& timeouts, const Console& console);

}  // namespace iprof::cli
