#include "agent/vm/counting/freeze_plan.h"

#include <algorithm>

namespace iprof::vm {
namespace {

constexpr double kMostForFirstThaw = 0.1;
constexpr double kMostForSwaps = 0.02;

}  // namespace

std::vector<size_t> ChooseMethods(const std::vector<MethodLoad>& methods,
                                  const FreezeLimits& limits) {
  std::vector<size_t> chosen;
  double all = 0;
  for (size_t m = 0; m < methods.size(); ++m) {
    const MethodLoad& method = methods[m];
    all += method.increments_per_s;
    if (method.may_freeze && method.counted >= limits.until && method.increments_per_s >= kIdle)
      chosen.push_back(m);
  }
  std::stable_sort(chosen.begin(), chosen.end(), [&](size_t a, size_t b) {
    return methods[a].increments_per_s > methods[b].increments_per_s;
  });
  if (limits.increments_per_s < 0) return chosen;
  size_t needed = 0;
  while (needed < chosen.size() && all > limits.increments_per_s)
    all -= methods[chosen[needed++]].increments_per_s;
  chosen.resize(needed);
  return chosen;
}

bool RoundPays(const RoundStakes& stakes) {
  return stakes.counted_s > 0 && stakes.counted_s >= stakes.compiled_s;
}

bool ThawPays(const ThawStakes& stakes) {
  const double cost_s = 3 * stakes.last_swap_s;
  if (stakes.is_first) return cost_s <= kMostForFirstThaw * stakes.recorded_s;
  return stakes.swapped_s + cost_s <= kMostForSwaps * stakes.recorded_s;
}

}  // namespace iprof::vm
