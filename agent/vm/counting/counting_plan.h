// CountingPlan: what counting will do in this JVM, decided before it requests anything from the
// JVM.
//
// Guarantees: pure, except for a small file that CompilerSettings may read. Threads: any, in any
// phase from Agent_OnLoad on. Failure: none; what the JVM cannot do is left out of the options.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "agent/plan/weights/known_weights.h"
#include "agent/settings/options.h"
#include "agent/vm/cells/heap_plan.h"
#include "agent/vm/counting/compiler_settings.h"
#include "agent/vm/counting/startup_plan.h"

namespace iprof::vm {

struct CountingPlan {
  Options options;            // without what this JVM cannot do
  bool names_lambdas = true;  // not after an attach
  // Whether the JVM can give classes their own code back. It cannot if another agent follows ours on
  // the command line: then our hook must run before that agent's, to see the class files, and only an
  // environment that cannot retransform does.
  bool restorable = false;
  // The longest pause that a batch of swapped classes should cause.
  std::chrono::nanoseconds pause = std::chrono::milliseconds(50);
  // The JVM starts a retransformation from bytes that are older than a redefinition (see SwapGuard).
  bool keeps_old_bytes = false;
  StartupPlan startup;
  CompilerSettings compilers;
  std::shared_ptr<const instrument::KnownWeights> weights;  // null: only guesses
  HeapPlan heap;
};

// `late`: counting begins while the program runs.
CountingPlan PlanCounting(const Options& options, bool late, const FlagQueries& flags,
                          const HeapLimits& limits);

}  // namespace iprof::vm
