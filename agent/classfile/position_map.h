// PositionMap: from positions in rewritten code back to the class file's, for whoever meets the
// running bytecode (stack samples) and must speak of the original.
//
// A map is a few bytes for each place where code was inserted or grew:
//   varint count; for each place: varint difference of the original bci, varint growth
//   varint count of trampolines and stubs at the end: for each varint length, varint original bci
// A position within inserted code belongs to the instruction that it was inserted before; one in a
// trampoline or stub to the branch or handler that it serves.
//
// Guarantees: encoding is linear and appends only; decoding never reads outside its input and
// answers the position itself where the map is damaged or empty. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace iprof::classfile {

class Layout;
class MethodCode;

// Appends the map of one method.
void EncodePositions(const Layout& layout, const MethodCode& code, std::vector<uint8_t>* out);

// The original bci of a position; `map` starts with what EncodePositions wrote.
uint32_t OriginalPosition(std::span<const uint8_t> map, uint32_t position);

}  // namespace iprof::classfile
