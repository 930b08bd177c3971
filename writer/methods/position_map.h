// PositionMap: maps positions in rewritten code back to positions in the class file.
//
// Why: a stack sample has a position in the running bytecode, and a profile needs the position in
// the class file.
//
// The agent's rewriter writes the maps (agent/classfile/position_map.h). A map has a few bytes for
// each place where code was inserted or grew:
//   varint count; for each place: varint difference of the original bci, varint growth
//   varint length of the code without trampolines and stubs, which are at its end
//   varint count of these; for each: varint length, varint original bci
// A position in inserted code maps to the instruction before which the code was inserted; a
// position in a trampoline or stub maps to the branch or handler that uses it.
//
// Guarantees: never reads outside its input, and allocates nothing.
// Threads: any; a pure function.
// Failure: with a damaged or empty map, the position is returned unchanged.
#pragma once

#include <cstdint>
#include <span>

namespace iprof {

// The original bci of a position; `map` starts with the method's map.
uint32_t OriginalPosition(std::span<const uint8_t> map, uint32_t position);

}  // namespace iprof
