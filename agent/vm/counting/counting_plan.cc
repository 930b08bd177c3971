#include "agent/vm/counting/counting_plan.h"

namespace iprof::vm {

CountingPlan PlanCounting(const Options& options, bool late, const FlagQueries& flags,
                          const HeapLimits& limits) {
  CountingPlan plan;
  plan.options = options;
  plan.startup =
      late ? StartupPlan{CountingStart::kRetransform, ""} : PlanStartup(options.jdk, flags);
  plan.restorable = plan.startup.start == CountingStart::kRetransform;
  plan.options.jdk = options.jdk && plan.startup.start != CountingStart::kApplication;
  plan.compilers = ReadCompilerSettings(flags);
  plan.heap = PlanHeap(plan.options, limits);
  return plan;
}

}  // namespace iprof::vm
