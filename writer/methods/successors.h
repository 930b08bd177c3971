// SuccessorNumbers: numbers the targets of a branch, and maps each of its edges to one.
//
// The consumer identifies a successor by its bci alone. If one bci has several indices, it takes
// the last one and loses the counts of the others. So a profile has one record for each target,
// with the sum of the edges that lead there: both sides of an `if` that meet, or all keys of a
// switch that share a case. An index is the number of its target in order of first appearance.
//
// Guarantees: pure; takes O(n log n) time. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace iprof {

enum class BranchKind : uint8_t { kIf, kSwitch };

// `targets`: bcis; for an if {target, fall-through}; for a switch one per key, then the default's.
// *numbers gets the index of each edge's target. Returns the number of different targets.
uint32_t NumberSuccessors(std::span<const uint32_t> targets, std::vector<uint32_t>* numbers);

}  // namespace iprof
