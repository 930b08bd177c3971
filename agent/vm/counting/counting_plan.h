// CountingPlan: what counting will do in this JVM, decided before it asks the
// JVM for anything.
//
// Pure, but for a small file that CompilerSettings may read; any thread, any
// phase from Agent_OnLoad on.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/vm/counting/compiler_settings.h"
#include "agent/vm/counting/heap_plan.h"
#include "agent/vm/counting/startup_plan.h"
#include "agent/vm/settings/options.h"

namespace iprof::vm {

struct CountingPlan {
  Options options;  // as far as this JVM can do what they ask
  bool attached = false;
  StartupPlan startup;
  CompilerSettings compilers;
  HeapPlan heap;
};

// `attached`: the program runs already.
CountingPlan PlanCounting(const Options& options, bool attached, const FlagQueries& flags,
                          const HeapLimits& limits);

}  // namespace iprof::vm
