// PositionMap: maps positions in rewritten code back to positions in the class file.
//
// Why: a stack sample has a position in the running bytecode, and a profile needs the position in
// the class file.
//
// Example: five bytes of probe before an instruction at 8, and a tableswitch at 4 whose padding shrinks by one:
//   running   0 … 3   4 … 18 (the switch)   19 … 23 (the probe)   24 …
//   original  0 … 3   4 … 18                20                    20 …
// One place says all of it: at 20 the instruction before has one byte less, and five bytes are inserted.
//
// The agent's rewriter writes the maps (agent/classfile/position_map.h). A map has a few bytes for
// each place where code was inserted or where the instruction before changed its size:
//   varint count; for each place: varint difference of the original bci, varint inserted bytes * 2,
//     plus 1 if the instruction before changed its size; then varint (growth * 2, or shrinkage * 2 - 1)
//     and varint that instruction's original length
//   varint length of the code without trampolines and stubs, which are at its end
//   varint count of these; for each: varint length, varint original bci
//   varint length of the handler that counts exceptions, behind them
// A position in inserted code maps to the instruction before which the code was inserted; one in
// bytes that an instruction got in addition maps to that instruction; and one in a trampoline or stub
// maps to the branch or handler that uses it.
//
// Guarantees: never reads outside its input, and allocates nothing.
// Threads: any; a pure function.
// Failure: with a damaged or empty map, the position is returned unchanged, or any other position.
#pragma once

#include <cstdint>
#include <span>

namespace iprof {

// The original bci of a position; `map` starts with the method's map.
uint32_t OriginalPosition(std::span<const uint8_t> map, uint32_t position);

// The length of the rewritten code; 0 for an empty map.
uint32_t RewrittenLength(std::span<const uint8_t> map);

}  // namespace iprof
