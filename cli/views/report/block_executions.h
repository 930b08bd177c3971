// CountBlocks, CountFlow: how often each basic block of a method was executed, computed from what a profile has: how often the method
// was called, and which way its branches went.
//
// How: what flows into a block flows out of it. From the entry and the counts at branches, all that follows is filled in.
// A branch without a count never ran if its block never ran; otherwise it is not known.
//
// CountFlow adds what follows if no exception was caught but those that are seen: a handler whose executions are not known ran as
// often as a virtual call in it. Example: `try { a(); } catch (E e) { log.warn(e); } b();`, called 9 times, and warn saw 2
// receivers. The handler and b() are not known. They are assumed to have run 2 and 11 times; the line of b() ran 9 times in
// truth, because the 2 calls that a() ended by an exception are counted on both ways.
//
// Guarantees: pure. A count follows from the profile's alone; nothing is guessed. It is as exact as those: an exception
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

struct FlowBlock {
  size_t first;  // instructions [first, end)
  size_t end;
  std::optional<int64_t> count;
  int64_t assumed = 0;  // the count, if that is known
};
struct BlockEdge {
  uint32_t from;  // blocks
  uint32_t to;
  std::optional<int64_t> count;
  int64_t assumed = 0;
};
struct MethodFlow {
  std::vector<FlowBlock> blocks;  // in code order
  std::vector<BlockEdge> edges;   // by source, then by target; one for each pair
};

// `seen`: how often calls were executed, by bci, as far as that is known.
MethodFlow CountFlow(std::span<const ListedInstruction> instructions, int64_t calls,
                     const BranchCounts& branches, const std::map<Bci, int64_t>& seen);

}  // namespace iprof
