// PositionMap: maps positions in rewritten code back to the class file's.
//
// Why: a stack sample has a position in the running bytecode, and a profile needs the position in
// the class file.
//
// writer/records/position_map.h describes the format and reads it.
//
// Guarantees: takes linear time and only appends. Threads: any; a pure function. Failure: none.
#pragma once

#include <cstdint>
#include <vector>

namespace iprof::classfile {

class Layout;
class MethodCode;

// Appends the map of one method.
void EncodePositions(const Layout& layout, const MethodCode& code, std::vector<uint8_t>* out);

}  // namespace iprof::classfile
