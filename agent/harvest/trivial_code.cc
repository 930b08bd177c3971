#include "agent/harvest/trivial_code.h"

#include "agent/classfile/descriptor.h"

namespace iprof::hotspot {

using classfile::IsReturn;
using classfile::Op;

bool IsTrivial(const OriginalCode& code, std::string_view descriptor, bool is_static) {
  const auto& insns = code.instructions;
  const classfile::MethodSlots slots = classfile::CountSlots(descriptor);
  if (!slots.ok) return false;
  const int arguments = slots.arguments + (is_static ? 0 : 1);
  if (insns.size() == 2) {
    return code.bytes.size() <= 4 && insns[0].op >= Op::aconst_null && insns[0].op <= Op::ldc2_w &&
           IsReturn(insns[1].op);
  }
  if (insns.size() < 3 || insns[0].op != Op::aload_0) return false;
  if (insns.size() == 3) {
    return arguments == 1 && insns[1].op == Op::getfield && insns[2].op != Op::return_ &&
           IsReturn(insns[2].op);
  }
  if (insns.size() > 4 || insns[2].op != Op::putfield || insns[3].op != Op::return_) return false;
  switch (insns[1].op) {
    case Op::iload_1:
    case Op::fload_1:
    case Op::aload_1:
      return arguments == 2;
    case Op::lload_1:
    case Op::dload_1:
      return arguments == 3;
    default:
      return false;
  }
}

}  // namespace iprof::hotspot
