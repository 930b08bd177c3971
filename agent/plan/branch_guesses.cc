#include "agent/plan/branch_guesses.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace iprof::instrument {
namespace {

using classfile::Insn;
using classfile::MethodCode;
using classfile::Op;

// What the branch tests: the instruction before it.
enum Operand : uint8_t {
  kLocal,
  kSmall,  // a constant in the instruction itself
  kConstant,
  kField,
  kStatic,
  kCall,
  kLength,
  kLong,  // the result of comparing two longs
  kBits,
  kTypeCheck,
  kOther,
};
constexpr size_t kOperands = kOther + 1;

// Percentage of executions in which a branch is taken. From real programs (docs/lab/weights.md); fifty
// where they had too few branches of the kind.
struct Guess {
  Op op;
  uint8_t taken[kOperands];
};
constexpr Guess kGuesses[] = {
    //              local small const field stat. call length long bits type other
    {Op::ifeq, {55, 50, 50, 73, 29, 52, 50, 72, 68, 48, 51}},
    {Op::ifne, {58, 50, 50, 38, 17, 54, 63, 47, 35, 56, 55}},
    {Op::iflt, {25, 50, 50, 33, 50, 51, 50, 41, 50, 50, 60}},
    {Op::ifge, {89, 50, 50, 77, 50, 40, 50, 64, 50, 50, 60}},
    {Op::ifgt, {77, 50, 50, 50, 50, 50, 50, 45, 50, 50, 50}},
    {Op::ifle, {37, 50, 50, 42, 50, 62, 19, 56, 50, 50, 40}},
    {Op::if_icmpeq, {46, 25, 33, 68, 50, 76, 50, 50, 50, 50, 65}},
    {Op::if_icmpne, {49, 71, 90, 56, 50, 39, 81, 50, 50, 50, 87}},
    {Op::if_icmplt, {73, 39, 99, 81, 50, 73, 79, 50, 50, 50, 54}},
    {Op::if_icmpge, {29, 39, 12, 33, 50, 31, 35, 50, 50, 50, 52}},
    {Op::if_icmpgt, {31, 47, 1, 48, 50, 50, 50, 50, 50, 50, 50}},
    {Op::if_icmple, {71, 64, 92, 83, 50, 97, 95, 50, 50, 50, 82}},
    {Op::if_acmpeq, {50, 50, 34, 87, 36, 59, 50, 50, 50, 50, 50}},
    {Op::if_acmpne, {55, 50, 68, 35, 72, 56, 50, 50, 50, 50, 78}},
    {Op::ifnull, {45, 50, 50, 71, 99, 58, 50, 50, 50, 50, 34}},
    {Op::ifnonnull, {63, 50, 50, 49, 50, 19, 50, 50, 50, 50, 49}},
};
constexpr int kAlways = 99;

Operand OperandOf(Op op) {
  if (op >= Op::iload && op <= Op::aload_3) return kLocal;
  if (op >= Op::iconst_m1 && op <= Op::sipush) return kSmall;
  if (op >= Op::ldc && op <= Op::ldc2_w) return kConstant;
  if (classfile::IsInvoke(op)) return kCall;
  switch (op) {
    case Op::getfield:
      return kField;
    case Op::getstatic:
      return kStatic;
    case Op::arraylength:
      return kLength;
    case Op::lcmp:
      return kLong;
    case Op::iand:
      return kBits;
    case Op:: instanceof:
      return kTypeCheck;
    default:
      return kOther;
  }
}

// Whether the code tests if assertions are off, which javac keeps in a field. They seldom are on.
bool TestsAssertions(const MethodCode& code, Insn read) {
  if (code.at(read).op != Op::getstatic) return false;
  const auto field = code.Member(read);
  return field && field->name == "$assertionsDisabled";
}

}  // namespace

float OddsOfTaking(const MethodCode& code, Insn insn) {
  const Op op = code.at(insn).op;
  const auto* const guess = std::find_if(std::begin(kGuesses), std::end(kGuesses),
                                         [op](const Guess& g) { return g.op == op; });
  if (guess == std::end(kGuesses)) return 1;
  int taken = guess->taken[kOther];
  if (insn > 0) {
    taken = guess->taken[OperandOf(code.at(insn - 1).op)];
    if (TestsAssertions(code, insn - 1)) taken = op == Op::ifne ? kAlways : 100 - kAlways;
  }
  return static_cast<float>(taken) / static_cast<float>(100 - taken);
}

}  // namespace iprof::instrument
