// PositionMap: from positions in rewritten code back to the class file's, for whoever meets the
// running bytecode (stack samples) and must speak of the original.
//
// writer/methods/position_map.h says what a map looks like, and reads it.
//
// Guarantees: encoding is linear and appends only. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace iprof::classfile {

class Layout;
class MethodCode;

// Appends the map of one method.
void EncodePositions(const Layout& layout, const MethodCode& code, std::vector<uint8_t>* out);

}  // namespace iprof::classfile
