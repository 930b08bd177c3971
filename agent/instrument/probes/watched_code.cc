#include "agent/instrument/probes/watched_code.h"

#include <algorithm>

#include "agent/instrument/probes/inherited_members.h"

namespace iprof::instrument {
namespace {

using classfile::Insn;
using classfile::MethodCode;
using classfile::Op;
using classfile::Slot;

constexpr uint32_t kMostKeys = 256;

enum class Operands : uint8_t { kReceiver, kNumber, kNumbers, kObject, kObjects };

bool IsVirtual(Op op) { return op == Op::invokevirtual || op == Op::invokeinterface; }

Operands OperandsOf(Op op) {
  if (IsVirtual(op)) return Operands::kReceiver;
  switch (op) {
    case Op::if_icmpeq:
    case Op::if_icmpne:
    case Op::if_icmplt:
    case Op::if_icmpge:
    case Op::if_icmpgt:
    case Op::if_icmple:
      return Operands::kNumbers;
    case Op::if_acmpeq:
    case Op::if_acmpne:
      return Operands::kObjects;
    case Op::ifnull:
    case Op::ifnonnull:
      return Operands::kObject;
    default:
      return Operands::kNumber;
  }
}

const InheritedMethod& MethodFor(Operands operands) {
  switch (operands) {
    case Operands::kNumber:
      return kInheritedNumber;
    case Operands::kNumbers:
      return kInheritedNumbers;
    case Operands::kObjects:
      return kInheritedObjects;
    case Operands::kReceiver:
    case Operands::kObject:
      break;
  }
  return kInheritedObject;
}

bool Holds(Op op, const BranchOperands& with) {
  const int32_t a = with.first;
  const int32_t b = with.second;  // 0 if there is one operand
  switch (op) {
    case Op::ifeq:
    case Op::if_icmpeq:
      return a == b;
    case Op::ifne:
    case Op::if_icmpne:
      return a != b;
    case Op::iflt:
    case Op::if_icmplt:
      return a < b;
    case Op::ifge:
    case Op::if_icmpge:
      return a >= b;
    case Op::ifgt:
    case Op::if_icmpgt:
      return a > b;
    case Op::ifle:
    case Op::if_icmple:
      return a <= b;
    case Op::if_acmpne:
    case Op::ifnonnull:
      return !with.are_same;
    default:
      return with.are_same;
  }
}

}  // namespace

uint32_t WayOf(const WatchedCode& code, const BranchOperands& operands) {
  if (!classfile::IsSwitch(code.op)) return Holds(code.op, operands) ? code.taken : code.next;
  const auto found = std::lower_bound(code.cases.begin(), code.cases.end(), operands.first,
                                      [](const auto& one, int32_t key) { return one.first < key; });
  return found != code.cases.end() && found->first == operands.first ? found->second : code.taken;
}

bool CanBeWatched(const MethodCode& code, Insn insn, bool is_call,
                  const classfile::UninitializedObjects& uninitialized) {
  const Op op = code.at(insn).op;
  if (is_call) return IsVirtual(op);
  if (classfile::IsSwitch(op)) return code.SwitchKeyCount(insn) <= kMostKeys;
  if (!classfile::IsConditionalBranch(op)) return false;
  // Branches accept an object whose constructor has not returned, and calls do not.
  const Operands operands = OperandsOf(op);
  return (operands != Operands::kObject && operands != Operands::kObjects) ||
         !uninitialized.At(insn);
}

WatchedCode Watched(const MethodCode& code, Insn insn) {
  WatchedCode watched{.op = code.at(insn).op};
  const auto target = [&](Slot slot) { return code.OffsetOf(code.Successor(insn, slot)); };
  if (classfile::IsSwitch(watched.op)) {
    watched.taken = target(classfile::kSwitchDefault);
    for (Slot slot = 1; slot < code.EndSlot(insn); ++slot)
      watched.cases.emplace_back(code.SwitchKey(insn, slot), target(slot));
    std::stable_sort(watched.cases.begin(), watched.cases.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  } else if (!IsVirtual(watched.op)) {
    watched.taken = target(classfile::kTaken);
    watched.next = target(classfile::kFallThrough);
  }
  return watched;
}

void EmitWatch(Insn insn, uint32_t site, bool inherited, classfile::MethodEditor& editor) {
  const Operands operands = OperandsOf(editor.code().at(insn).op);
  const InheritedMethod& method = MethodFor(operands);
  const classfile::CpIndex called =
      inherited ? InheritedMethodRef(editor.code().file(), method, editor.pool())
                : editor.pool().Method(kContextsClassName, method.runtime_name, method.descriptor);
  const auto call = [&](classfile::SnippetBuilder& build, int slots) {
    return build.Sipush(static_cast<int16_t>(site)).InvokeStatic(called, slots, 0).Finish();
  };
  if (operands == Operands::kReceiver) {
    auto build = editor.BuildForReceiver();
    editor.BeforeCall(insn, call(build, 2));
  } else if (operands == Operands::kNumbers || operands == Operands::kObjects) {
    auto build = editor.BuildForTopTwo();
    editor.Before(insn, call(build.Raw(Op::dup2), 3));
  } else {
    auto build = editor.BuildForTop();
    editor.Before(insn, call(build.Raw(Op::dup), 2));
  }
}

}  // namespace iprof::instrument
