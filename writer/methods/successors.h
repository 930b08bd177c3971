// SuccessorNumbers: which of a branch's targets each of its edges leads to.
//
// The consumer knows a successor by its bci alone. Where one bci has several indices, it takes the
// last one and loses the counts of the others. So a profile has one record for each target, with the
// sum of the edges that lead there: both sides of an `if` that meet, all the keys of a switch that
// share a case. An index is the number of its target in order of first appearance.
//
// Pure; any thread; O(n log n).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace iprof {

enum class BranchKind : uint8_t { kIf, kSwitch };

// `targets`: bcis; for an if {target, fall-through}; for a switch one per key, then the default's.
// *numbers is overwritten and gets as many elements: the index of each edge's target. Returns how
// many targets differ.
uint32_t NumberSuccessors(std::span<const uint32_t> targets, std::vector<uint32_t>* numbers);

}  // namespace iprof
