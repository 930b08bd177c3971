// BlockCounts: how often the basic blocks of a method were executed, as far as its MethodData
// says.
//
// A block has the largest count of the records on its instructions. A block without a record, or
// whose records are all 0, gets the sum of what flows into it along edges whose counts are known, at
// most the largest count of the method. So does, where records may be younger than the entries, a
// block whose records have less than that. The first block was executed at least once for each entry,
// even if its records have missed some: HotSpot clears a record when it unloads a class of it. Who wants to
// know what was counted since then asks for the records alone.
//
// Example: `if (x) a(); else b(); c();` was entered 100 times, and the branch went 70 times to a and 30 times to b. The block of c has no
// record and gets 70 + 30. With a record of 60 at the call of a, which compiled code does not count, that block has 60.
//
// Guarantees: pure; linear in the code's size. Threads: any, but one for each BlockCounter. Failure:
// none but std::bad_alloc.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agent/hotspot/method_data.h"
#include "agent/hotspot/original_code.h"

namespace iprof::hotspot {

// What MethodData says about one instruction.
struct InstructionCount {
  uint32_t bci = 0;
  uint64_t count = 0;
  EdgeCounts edges;  // of a branch or switch, as SuccessorBcis orders them
};

// How records and entries belong together.
enum class Records : uint8_t {
  kAsOldAsEntries,
  // An AOT cache keeps the entries of its training run, but not the classes of lambdas, and a record
  // without its classes starts again at 0.
  kMaybeYounger,
  kAlone,  // the first block, too, has what its records have, if it has any
};

// A block begins where a jump leads to, and behind a jump.
struct BlockSplit {
  std::vector<uint32_t> of;  // the block of each instruction
  uint32_t count = 0;
  std::vector<uint32_t> last;            // the last instruction of each block
  std::vector<uint32_t> instruction_at;  // by bci; kNoInstruction between instructions

  static constexpr uint32_t kNoInstruction = UINT32_MAX;
  // Of an instruction.
  uint32_t BlockAt(uint32_t bci) const {
    assert(instruction_at[bci] != kNoInstruction);
    return of[instruction_at[bci]];
  }
};

BlockSplit SplitBlocks(std::span<const uint8_t> code,
                       std::span<const CodeInstruction> instructions);

// Counts the blocks of one method after another. Keeps its memory: a harvest counts those of thousands.
class BlockCounter {
 public:
  // The count of the block of each instruction, valid until the next call. `counts` are of
  // instructions, and ascend in bci.
  const std::vector<uint64_t>& Count(std::span<const uint8_t> code,
                                     std::span<const CodeInstruction> instructions,
                                     std::span<const InstructionCount> counts, uint64_t entries,
                                     Records records = Records::kAsOldAsEntries);

 private:
  struct Block {
    uint64_t known = 0;  // from records
    uint64_t known_in = 0;
  };
  // From a block that only continues in another one.
  struct Continuation {
    uint32_t to, from;
  };

  // What is known of the blocks. Returns the largest count.
  uint64_t Learn(std::span<const uint8_t> code, std::span<const CodeInstruction> instructions,
                 std::span<const InstructionCount> counts, uint64_t entries);

  BlockSplit split_;
  std::vector<uint8_t> starts_;
  std::vector<Block> blocks_;
  std::vector<Continuation> unknown_in_;
  std::vector<uint64_t> block_counts_, result_;
};

// The same for a single method.
std::vector<uint64_t> CountBlocks(std::span<const uint8_t> code,
                                  std::span<const CodeInstruction> instructions,
                                  std::span<const InstructionCount> counts, uint64_t entries,
                                  Records records = Records::kAsOldAsEntries);

// How often a method was entered, as far as the records of its first block show it. Nothing if there is
// none, or if a loop begins there.
std::optional<uint64_t> CountEntries(std::span<const uint8_t> code,
                                     std::span<const CodeInstruction> instructions,
                                     std::span<const InstructionCount> counts);

}  // namespace iprof::hotspot
