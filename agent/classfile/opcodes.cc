#include "agent/classfile/opcodes.h"

namespace iprof::classfile {

const char* OpName(Op op) {
  switch (op) {
    case Op::goto_:
      return "goto";
    case Op::return_:
      return "return";
    case Op::new_:
      return "new";
    default:
      break;
  }
  static constexpr const char* kNames[kOpCount] = {
#define X(name, format, pops, pushes) #name,
      IPROF_JVM_OPCODES(X)
#undef X
  };
  const auto v = static_cast<uint8_t>(op);
  return v < kOpCount ? kNames[v] : "?";
}

}  // namespace iprof::classfile
