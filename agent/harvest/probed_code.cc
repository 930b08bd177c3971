#include "agent/harvest/probed_code.h"

#include <algorithm>

#include "agent/classfile/bytes.h"
#include "writer/names/own_classes.h"

namespace iprof::hotspot {

bool IsOwn(const PoolMember& member) {
  return IsOwnClass(InternalName(member.owner)) || IsOwnMember(member.name);
}

bool HasAgentClasses(const HarvestedProgram& program) {
  return std::any_of(program.classes.begin(), program.classes.end(),
                     [](const HarvestedClass& klass) { return klass.is_own; });
}

bool HasProbes(Metadata& metadata, const Pool& pool, const OriginalCode& code) {
  // Probes read static fields and call static methods.
  return std::any_of(
      code.instructions.begin(), code.instructions.end(), [&](const CodeInstruction& insn) {
        if (insn.op != classfile::Op::getstatic && insn.op != classfile::Op::invokestatic)
          return false;
        const auto member =
            metadata.Member(pool, classfile::LoadU2(code.bytes.data() + insn.bci + 1));
        return member && IsOwn(*member);
      });
}

}  // namespace iprof::hotspot
