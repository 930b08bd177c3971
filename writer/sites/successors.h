// SuccessorShape: a branch's successors in the profile's shape, from its targets.
//
//  - an if: (target bci, 0), (fall-through bci, 1), even where both bcis are the same;
//  - a switch: one successor per key in key order, the default last. The first time a target
//    appears it carries its bci, later ones bci -5 with the same index; an index is the number of
//    its target in order of first appearance.
//
// Each key keeps its own count, shared target or not. Pure; any thread; O(n log n).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace iprof {

enum class BranchKind : uint8_t { kIf, kSwitch };

inline constexpr int32_t kSharedTargetBci = -5;

struct SuccessorShape {
  int32_t bci;
  uint32_t index;
  bool operator==(const SuccessorShape&) const = default;
};

// `targets`: for an if {target, fall-through}; for a switch one per key, then the default's.
// *shape is overwritten and gets as many elements.
void ShapeSuccessors(BranchKind kind, std::span<const uint32_t> targets,
                     std::vector<SuccessorShape>* shape);

}  // namespace iprof
