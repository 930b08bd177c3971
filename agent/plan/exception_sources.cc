#include "agent/plan/exception_sources.h"

#include <algorithm>

namespace iprof::instrument {
namespace {

using classfile::Insn;
using classfile::MemberInfo;
using classfile::MemberRef;
using classfile::MethodCode;
using classfile::Op;
using classfile::Tag;

// Each read of a field searches the declared fields. In classes with more than this, none is
// searched.
constexpr size_t kMostFields = 500;

bool OverwritesLocal0(const MethodCode& code) {
  for (Insn i = 0; i < code.count(); ++i) {
    const Op op = code.at(i).op;
    if (op >= Op::istore && op <= Op::astore_3 && code.Local(i) == 0) return true;
  }
  return false;
}

}  // namespace

ExceptionSources::ExceptionSources(const MethodCode& code)
    : code_(code),
      local_0_is_this_(!code.is_static() && code.file().fields().size() <= kMostFields &&
                       !OverwritesLocal0(code)) {}

bool ExceptionSources::MayThrow(Insn i) const {
  const Op op = code_.at(i).op;
  if (op >= Op::iaload && op <= Op::saload) return true;
  if (op >= Op::iastore && op <= Op::sastore) return true;
  switch (op) {
    case Op::idiv:
    case Op::ldiv:
    case Op::irem:
    case Op::lrem:
      return true;
    case Op::ldc:
    case Op::ldc_w:
    case Op::ldc2_w: {
      const Tag tag = code_.file().pool().tag(code_.Constant(i));
      return tag != Tag::kInteger && tag != Tag::kFloat && tag != Tag::kLong && tag != Tag::kDouble;
    }
    case Op::getfield:
      return !ReadsOwnField(i);
    case Op::multianewarray:
      return true;
    default:
      // Other fields, calls, allocation, arraylength, casts and monitors.
      return op >= Op::getstatic && op <= Op::monitorexit && op != Op::athrow;
  }
}

bool ExceptionSources::ReadsOwnField(Insn i) const {
  if (!local_0_is_this_ || i == 0) return false;
  // The receiver must be loaded by the previous instruction, and no jump may enter in between.
  if ((code_.at(i).flags & (classfile::kIsBranchTarget | classfile::kIsHandler)) != 0) return false;
  const Op load = code_.at(i - 1).op;
  if (load != Op::aload_0 && (load != Op::aload || code_.Local(i - 1) != 0)) return false;
  // Compare by index, not by name: a hidden class is not the class whose name its file contains.
  const std::optional<MemberRef> field = code_.Member(i);
  if (!field || field->owner != code_.file().this_class()) return false;
  const auto fields = code_.file().fields();
  return std::any_of(fields.begin(), fields.end(), [&](const MemberInfo& declared) {
    return (declared.access & classfile::kAccStatic) == 0 &&
           code_.file().NameOf(declared) == field->name &&
           code_.file().DescriptorOf(declared) == field->descriptor;
  });
}

}  // namespace iprof::instrument
