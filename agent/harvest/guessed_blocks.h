// GuessBlocks: how often the blocks of a method were executed of which HotSpot counted only the
// entries and the jumps backwards.
//
// Why: a method has no MethodData until it was called some 200 times or looped for long. Until then
// the interpreter counts no blocks. Such a method may still be what drives a program: a loop that
// was entered a few times, and calls everything else. Its callees are compiled, and their counts
// stop, so without it nothing would say how often they were called.
//
// How: where a conditional branch decides whether a loop goes on, it goes on with one and the same
// probability in the whole method: the one with which the jumps backwards add up to what was
// counted. Any other branch goes each way equally often, except for ways that are seldom taken: one that ends in a throw,
// and one for which two values are equal, a reference is null, or an index has reached its array's length. A loop without an exit has as many rounds as
// jumps backwards were counted.
// Example: a loop was entered 100 times and jumped back 15,000 times. So its condition was asked 15,100 times and went on with the
// probability 0.9934, and its body was executed 15,000 times. In a loop in a loop, entered once with 9,999 jumps back in all, both go
// on with 0.99: the outer body was executed 100 times, the inner one 10,000 times.
//
// Example of a seldom way: `if (n == buffer.length) flush();` in such a loop flushes in a tenth of the rounds, not in half.
//
// Guarantees: pure; finite and at least 0; linear in the code's size for nested loops as compilers
// write them, and never more than kMostGuessedBlocks cubed. Threads: any. Failure: none but
// std::bad_alloc; a method with too many blocks has no guess, and no counts if it has no loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/hotspot/original_code.h"

namespace iprof::hotspot {

inline constexpr size_t kMostGuessedBlocks = 300;

// How often the block of each instruction is executed for one entry.
std::vector<double> GuessFrequencies(std::span<const uint8_t> code,
                                     std::span<const CodeInstruction> instructions,
                                     uint64_t entries, uint64_t back_edges);

// The count of the block of each instruction, as CountBlocks.
std::vector<uint64_t> GuessBlocks(std::span<const uint8_t> code,
                                  std::span<const CodeInstruction> instructions, uint64_t entries,
                                  uint64_t back_edges);

}  // namespace iprof::hotspot
