#include "agent/plan/weights/code_shape.h"

#include <vector>

#include "writer/base/murmur3.h"
#include "writer/base/varint.h"

namespace iprof::instrument {

using classfile::Insn;
using classfile::MethodCode;

uint32_t HashOfShape(const MethodCode& code) {
  std::vector<uint8_t> shape;
  for (Insn i = 0; i < code.count(); ++i) {
    shape.push_back(static_cast<uint8_t>(code.at(i).op));
    PutVarint(code.LengthOf(i), &shape);
  }
  for (const uint16_t jump : code.jumps()) {
    for (classfile::Slot slot = code.FirstSlot(jump); slot < code.EndSlot(jump); ++slot) {
      PutVarint(code.OffsetOf(code.Successor(jump, slot)), &shape);
    }
  }
  return static_cast<uint32_t>(Murmur3(shape).low);
}

}  // namespace iprof::instrument
