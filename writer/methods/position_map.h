// PositionMap: from positions in rewritten code back to the class file's, for whoever meets the
// running bytecode (stack samples) and must speak of the original.
//
// The agent's rewriter writes the maps (agent/classfile/position_map.h). A map is a few bytes for each place
// where code was inserted or grew:
//   varint count; for each place: varint difference of the original bci, varint growth
//   varint length of the code without trampolines and stubs, which stand at its end
//   varint count of these; for each: varint length, varint original bci
// A position within inserted code belongs to the instruction that it was inserted before; one in a
// trampoline or stub to the branch or handler that it serves.
//
// Guarantees: never reads outside its input, and answers the position itself where the map is damaged
// or empty. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>

namespace iprof {

// The original bci of a position; `map` starts with the method's map.
uint32_t OriginalPosition(std::span<const uint8_t> map, uint32_t position);

}  // namespace iprof
