// CountBlocks: how often each basic block of a method was executed, computed from what a profile has: how often the method
// was called, and which way its branches went.
//
// How: what flows into a block flows out of it. From the entry and the counts at branches, all that follows is filled in.
// A branch without a count never ran if its block never ran; otherwise it is not known.
//
// Guarantees: pure. A number follows from the profile's alone; nothing is guessed. It is as exact as those: an exception
// that leaves a block in its middle is not seen, and executions of a handler are known only from branches in it. Linear in
// the code's size times the depth of its loops. Threads: any.
// Failure: what does not follow is nullopt; std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "cli/views/report/method_listing.h"

namespace iprof {

struct BlockExecutions {
  Bci bci;  // of the block's first instruction
  std::optional<int64_t> count;
  bool operator==(const BlockExecutions&) const = default;
};

// The counts of a branch or switch: by the bci where it continues.
using BranchCounts = std::map<Bci, std::map<int64_t, int64_t>>;

std::vector<BlockExecutions> CountBlocks(std::span<const ListedInstruction> instructions,
                                         int64_t calls, const BranchCounts& branches);

}  // namespace iprof
