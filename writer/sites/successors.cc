#include "writer/sites/successors.h"

#include <algorithm>

namespace iprof {

void ShapeSuccessors(BranchKind kind, std::span<const uint32_t> targets,
                     std::vector<SuccessorShape>* shape) {
  shape->clear();
  if (kind == BranchKind::kIf) {
    for (uint32_t i = 0; i < targets.size(); ++i) {
      shape->push_back({static_cast<int32_t>(targets[i]), i});
    }
    return;
  }
  // Sorted by target, then place: the first place of each run is its first appearance. Its number
  // among first appearances is the index.
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
    if (first[i] == i) {
      shape->push_back({static_cast<int32_t>(targets[i]), next++});
    } else {
      shape->push_back({kSharedTargetBci, (*shape)[first[i]].index});
    }
  }
}

}  // namespace iprof
