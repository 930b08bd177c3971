#include "writer/methods/successors.h"

#include <algorithm>

namespace iprof {

uint32_t NumberSuccessors(std::span<const uint32_t> targets, std::vector<uint32_t>* numbers) {
  numbers->clear();
  if (targets.size() == 2) {  // of an if
    *numbers = {0, targets[0] == targets[1] ? 0U : 1U};
    return numbers->back() + 1;
  }
  // Sorted by target, then place: the first place of each run is its first appearance.
  std::vector<uint32_t> order(targets.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return targets[a] < targets[b]; });
  std::vector<uint32_t> first(targets.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && targets[order[i]] == targets[order[i - 1]];
    first[order[i]] = same ? first[order[i - 1]] : order[i];
  }
  uint32_t next = 0;
  for (uint32_t i = 0; i < targets.size(); ++i) {
    numbers->push_back(first[i] == i ? next++ : (*numbers)[first[i]]);
  }
  return next;
}

}  // namespace iprof
