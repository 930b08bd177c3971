// CountingPlan: what counting will do in this JVM, decided before it requests anything from the
// JVM.
//
// Guarantees: pure, except for a small file that CompilerSettings may read. Threads: any, in any
// phase from Agent_OnLoad on. Failure: none; what the JVM cannot do is left out of the options.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/vm/counting/compiler_settings.h"
#include "agent/vm/counting/heap_plan.h"
#include "agent/vm/counting/startup_plan.h"
#include "agent/vm/settings/options.h"

namespace iprof::vm {

struct CountingPlan {
  Options options;  // without what this JVM cannot do
  bool attached = false;
  StartupPlan startup;
  CompilerSettings compilers;
  HeapPlan heap;
};

// `attached`: the program is already running.
CountingPlan PlanCounting(const Options& options, bool attached, const FlagQueries& flags,
                          const HeapLimits& limits);

}  // namespace iprof::vm
