// The 202 instructions of the Java virtual machine, in one table that all code here uses.
//
// Guarantees: constant data, complete for opcodes 0 to 201, in opcode order. kVaries marks stack
// effects that depend on the instruction's constant (see stack_depth.h).
// Threads: any. Failure: none.
#pragma once

#include <array>
#include <cstdint>

namespace iprof::classfile {

// What follows the opcode byte. The order matters: jumps are consecutive, and formats that name a
// constant come last.
enum class Format : uint8_t {
  kNone,             // nothing
  kImm1,             // one byte
  kImm2,             // two bytes
  kLocal,            // u1 local (u2 under wide)
  kIinc,             // u1 local, s1 increment (u2, s2 under wide)
  kWide,             // a widened kLocal or kIinc instruction
  kBranch2,          // s2 offset
  kBranch4,          // s4 offset
  kTableSwitch,      // padding, default, low, high, offsets
  kLookupSwitch,     // padding, default, count, pairs
  kCp1,              // u1 constant
  kCp2,              // u2 constant
  kField,            // u2 Fieldref
  kInvoke,           // u2 Methodref or InterfaceMethodref
  kInvokeInterface,  // u2 InterfaceMethodref, count, 0
  kInvokeDynamic,    // u2 InvokeDynamic, 0, 0
  kMultiNewArray,    // u2 Class, u1 dimensions
};

// A branch or a switch: it names instructions in the method's own code.
constexpr bool IsJump(Format format) {
  return format >= Format::kBranch2 && format <= Format::kLookupSwitch;
}
constexpr bool NamesConstant(Format format) { return format >= Format::kCp1; }

// The number of stack slots depends on a constant.
inline constexpr int16_t kVaries = -1;

// X(enumerator, format, slots popped, slots pushed)
#define IPROF_JVM_OPCODES(X)                             \
  X(nop, kNone, 0, 0)                                    \
  X(aconst_null, kNone, 0, 1)                            \
  X(iconst_m1, kNone, 0, 1)                              \
  X(iconst_0, kNone, 0, 1)                               \
  X(iconst_1, kNone, 0, 1)                               \
  X(iconst_2, kNone, 0, 1)                               \
  X(iconst_3, kNone, 0, 1)                               \
  X(iconst_4, kNone, 0, 1)                               \
  X(iconst_5, kNone, 0, 1)                               \
  X(lconst_0, kNone, 0, 2)                               \
  X(lconst_1, kNone, 0, 2)                               \
  X(fconst_0, kNone, 0, 1)                               \
  X(fconst_1, kNone, 0, 1)                               \
  X(fconst_2, kNone, 0, 1)                               \
  X(dconst_0, kNone, 0, 2)                               \
  X(dconst_1, kNone, 0, 2)                               \
  X(bipush, kImm1, 0, 1)                                 \
  X(sipush, kImm2, 0, 1)                                 \
  X(ldc, kCp1, 0, 1)                                     \
  X(ldc_w, kCp2, 0, 1)                                   \
  X(ldc2_w, kCp2, 0, 2)                                  \
  X(iload, kLocal, 0, 1)                                 \
  X(lload, kLocal, 0, 2)                                 \
  X(fload, kLocal, 0, 1)                                 \
  X(dload, kLocal, 0, 2)                                 \
  X(aload, kLocal, 0, 1)                                 \
  X(iload_0, kNone, 0, 1)                                \
  X(iload_1, kNone, 0, 1)                                \
  X(iload_2, kNone, 0, 1)                                \
  X(iload_3, kNone, 0, 1)                                \
  X(lload_0, kNone, 0, 2)                                \
  X(lload_1, kNone, 0, 2)                                \
  X(lload_2, kNone, 0, 2)                                \
  X(lload_3, kNone, 0, 2)                                \
  X(fload_0, kNone, 0, 1)                                \
  X(fload_1, kNone, 0, 1)                                \
  X(fload_2, kNone, 0, 1)                                \
  X(fload_3, kNone, 0, 1)                                \
  X(dload_0, kNone, 0, 2)                                \
  X(dload_1, kNone, 0, 2)                                \
  X(dload_2, kNone, 0, 2)                                \
  X(dload_3, kNone, 0, 2)                                \
  X(aload_0, kNone, 0, 1)                                \
  X(aload_1, kNone, 0, 1)                                \
  X(aload_2, kNone, 0, 1)                                \
  X(aload_3, kNone, 0, 1)                                \
  X(iaload, kNone, 2, 1)                                 \
  X(laload, kNone, 2, 2)                                 \
  X(faload, kNone, 2, 1)                                 \
  X(daload, kNone, 2, 2)                                 \
  X(aaload, kNone, 2, 1)                                 \
  X(baload, kNone, 2, 1)                                 \
  X(caload, kNone, 2, 1)                                 \
  X(saload, kNone, 2, 1)                                 \
  X(istore, kLocal, 1, 0)                                \
  X(lstore, kLocal, 2, 0)                                \
  X(fstore, kLocal, 1, 0)                                \
  X(dstore, kLocal, 2, 0)                                \
  X(astore, kLocal, 1, 0)                                \
  X(istore_0, kNone, 1, 0)                               \
  X(istore_1, kNone, 1, 0)                               \
  X(istore_2, kNone, 1, 0)                               \
  X(istore_3, kNone, 1, 0)                               \
  X(lstore_0, kNone, 2, 0)                               \
  X(lstore_1, kNone, 2, 0)                               \
  X(lstore_2, kNone, 2, 0)                               \
  X(lstore_3, kNone, 2, 0)                               \
  X(fstore_0, kNone, 1, 0)                               \
  X(fstore_1, kNone, 1, 0)                               \
  X(fstore_2, kNone, 1, 0)                               \
  X(fstore_3, kNone, 1, 0)                               \
  X(dstore_0, kNone, 2, 0)                               \
  X(dstore_1, kNone, 2, 0)                               \
  X(dstore_2, kNone, 2, 0)                               \
  X(dstore_3, kNone, 2, 0)                               \
  X(astore_0, kNone, 1, 0)                               \
  X(astore_1, kNone, 1, 0)                               \
  X(astore_2, kNone, 1, 0)                               \
  X(astore_3, kNone, 1, 0)                               \
  X(iastore, kNone, 3, 0)                                \
  X(lastore, kNone, 4, 0)                                \
  X(fastore, kNone, 3, 0)                                \
  X(dastore, kNone, 4, 0)                                \
  X(aastore, kNone, 3, 0)                                \
  X(bastore, kNone, 3, 0)                                \
  X(castore, kNone, 3, 0)                                \
  X(sastore, kNone, 3, 0)                                \
  X(pop, kNone, 1, 0)                                    \
  X(pop2, kNone, 2, 0)                                   \
  X(dup, kNone, 1, 2)                                    \
  X(dup_x1, kNone, 2, 3)                                 \
  X(dup_x2, kNone, 3, 4)                                 \
  X(dup2, kNone, 2, 4)                                   \
  X(dup2_x1, kNone, 3, 5)                                \
  X(dup2_x2, kNone, 4, 6)                                \
  X(swap, kNone, 2, 2)                                   \
  X(iadd, kNone, 2, 1)                                   \
  X(ladd, kNone, 4, 2)                                   \
  X(fadd, kNone, 2, 1)                                   \
  X(dadd, kNone, 4, 2)                                   \
  X(isub, kNone, 2, 1)                                   \
  X(lsub, kNone, 4, 2)                                   \
  X(fsub, kNone, 2, 1)                                   \
  X(dsub, kNone, 4, 2)                                   \
  X(imul, kNone, 2, 1)                                   \
  X(lmul, kNone, 4, 2)                                   \
  X(fmul, kNone, 2, 1)                                   \
  X(dmul, kNone, 4, 2)                                   \
  X(idiv, kNone, 2, 1)                                   \
  X(ldiv, kNone, 4, 2)                                   \
  X(fdiv, kNone, 2, 1)                                   \
  X(ddiv, kNone, 4, 2)                                   \
  X(irem, kNone, 2, 1)                                   \
  X(lrem, kNone, 4, 2)                                   \
  X(frem, kNone, 2, 1)                                   \
  X(drem, kNone, 4, 2)                                   \
  X(ineg, kNone, 1, 1)                                   \
  X(lneg, kNone, 2, 2)                                   \
  X(fneg, kNone, 1, 1)                                   \
  X(dneg, kNone, 2, 2)                                   \
  X(ishl, kNone, 2, 1)                                   \
  X(lshl, kNone, 3, 2)                                   \
  X(ishr, kNone, 2, 1)                                   \
  X(lshr, kNone, 3, 2)                                   \
  X(iushr, kNone, 2, 1)                                  \
  X(lushr, kNone, 3, 2)                                  \
  X(iand, kNone, 2, 1)                                   \
  X(land, kNone, 4, 2)                                   \
  X(ior, kNone, 2, 1)                                    \
  X(lor, kNone, 4, 2)                                    \
  X(ixor, kNone, 2, 1)                                   \
  X(lxor, kNone, 4, 2)                                   \
  X(iinc, kIinc, 0, 0)                                   \
  X(i2l, kNone, 1, 2)                                    \
  X(i2f, kNone, 1, 1)                                    \
  X(i2d, kNone, 1, 2)                                    \
  X(l2i, kNone, 2, 1)                                    \
  X(l2f, kNone, 2, 1)                                    \
  X(l2d, kNone, 2, 2)                                    \
  X(f2i, kNone, 1, 1)                                    \
  X(f2l, kNone, 1, 2)                                    \
  X(f2d, kNone, 1, 2)                                    \
  X(d2i, kNone, 2, 1)                                    \
  X(d2l, kNone, 2, 2)                                    \
  X(d2f, kNone, 2, 1)                                    \
  X(i2b, kNone, 1, 1)                                    \
  X(i2c, kNone, 1, 1)                                    \
  X(i2s, kNone, 1, 1)                                    \
  X(lcmp, kNone, 4, 1)                                   \
  X(fcmpl, kNone, 2, 1)                                  \
  X(fcmpg, kNone, 2, 1)                                  \
  X(dcmpl, kNone, 4, 1)                                  \
  X(dcmpg, kNone, 4, 1)                                  \
  X(ifeq, kBranch2, 1, 0)                                \
  X(ifne, kBranch2, 1, 0)                                \
  X(iflt, kBranch2, 1, 0)                                \
  X(ifge, kBranch2, 1, 0)                                \
  X(ifgt, kBranch2, 1, 0)                                \
  X(ifle, kBranch2, 1, 0)                                \
  X(if_icmpeq, kBranch2, 2, 0)                           \
  X(if_icmpne, kBranch2, 2, 0)                           \
  X(if_icmplt, kBranch2, 2, 0)                           \
  X(if_icmpge, kBranch2, 2, 0)                           \
  X(if_icmpgt, kBranch2, 2, 0)                           \
  X(if_icmple, kBranch2, 2, 0)                           \
  X(if_acmpeq, kBranch2, 2, 0)                           \
  X(if_acmpne, kBranch2, 2, 0)                           \
  X(goto_, kBranch2, 0, 0)                               \
  X(jsr, kBranch2, 0, 1)                                 \
  X(ret, kLocal, 0, 0)                                   \
  X(tableswitch, kTableSwitch, 1, 0)                     \
  X(lookupswitch, kLookupSwitch, 1, 0)                   \
  X(ireturn, kNone, 1, 0)                                \
  X(lreturn, kNone, 2, 0)                                \
  X(freturn, kNone, 1, 0)                                \
  X(dreturn, kNone, 2, 0)                                \
  X(areturn, kNone, 1, 0)                                \
  X(return_, kNone, 0, 0)                                \
  X(getstatic, kField, 0, kVaries)                       \
  X(putstatic, kField, kVaries, 0)                       \
  X(getfield, kField, kVaries, kVaries)                  \
  X(putfield, kField, kVaries, 0)                        \
  X(invokevirtual, kInvoke, kVaries, kVaries)            \
  X(invokespecial, kInvoke, kVaries, kVaries)            \
  X(invokestatic, kInvoke, kVaries, kVaries)             \
  X(invokeinterface, kInvokeInterface, kVaries, kVaries) \
  X(invokedynamic, kInvokeDynamic, kVaries, kVaries)     \
  X(new_, kCp2, 0, 1)                                    \
  X(newarray, kImm1, 1, 1)                               \
  X(anewarray, kCp2, 1, 1)                               \
  X(arraylength, kNone, 1, 1)                            \
  X(athrow, kNone, 1, 0)                                 \
  X(checkcast, kCp2, 1, 1)                               \
  X(instanceof, kCp2, 1, 1)                              \
  X(monitorenter, kNone, 1, 0)                           \
  X(monitorexit, kNone, 1, 0)                            \
  X(wide, kWide, 0, 0)                                   \
  X(multianewarray, kMultiNewArray, kVaries, 1)          \
  X(ifnull, kBranch2, 1, 0)                              \
  X(ifnonnull, kBranch2, 1, 0)                           \
  X(goto_w, kBranch4, 0, 0)                              \
  X(jsr_w, kBranch4, 0, 1)

enum class Op : uint8_t {
#define X(name, format, pops, pushes) name,
  IPROF_JVM_OPCODES(X)
#undef X
};

inline constexpr int kOpCount = 202;

struct OpInfo {
  Format format;
  uint8_t length;  // in bytes, with the opcode; 0 for switches and wide
  int16_t pops;    // stack slots, or kVaries
  int16_t pushes;
  // The two bytes after the opcode, shifted right by this, are the index of its constant; 16 if it
  // names none.
  uint8_t constant_shift;
  bool ends_block;  // a jump, a switch, a return, athrow or ret
};

constexpr bool IsConditionalBranch(Op op) {
  return (op >= Op::ifeq && op <= Op::if_acmpne) || op == Op::ifnull || op == Op::ifnonnull;
}
constexpr bool IsGoto(Op op) { return op == Op::goto_ || op == Op::goto_w; }
constexpr bool IsJsr(Op op) { return op == Op::jsr || op == Op::jsr_w; }
constexpr bool IsSwitch(Op op) { return op == Op::tableswitch || op == Op::lookupswitch; }
constexpr bool IsReturn(Op op) { return op >= Op::ireturn && op <= Op::return_; }
constexpr bool IsInvoke(Op op) { return op >= Op::invokevirtual && op <= Op::invokedynamic; }
// Control never continues at the next instruction. (It does after a jsr, when the subroutine
// returns.)
constexpr bool IsUnconditional(Op op) {
  return IsGoto(op) || IsSwitch(op) || IsReturn(op) || op == Op::athrow || op == Op::ret;
}

constexpr uint8_t LengthOf(Format format) {
  switch (format) {
    case Format::kNone:
      return 1;
    case Format::kImm1:
    case Format::kLocal:
    case Format::kCp1:
      return 2;
    case Format::kImm2:
    case Format::kCp2:
    case Format::kIinc:
    case Format::kBranch2:
    case Format::kField:
    case Format::kInvoke:
      return 3;
    case Format::kMultiNewArray:
      return 4;
    case Format::kBranch4:
    case Format::kInvokeInterface:
    case Format::kInvokeDynamic:
      return 5;
    case Format::kTableSwitch:
    case Format::kLookupSwitch:
    case Format::kWide:
      return 0;
  }
  return 0;
}

constexpr uint8_t ConstantShift(Format format) {
  if (!NamesConstant(format)) return 16;
  return format == Format::kCp1 ? 8 : 0;
}

inline constexpr std::array<OpInfo, kOpCount> kOpInfo = {{
#define X(name, format, pops, pushes) \
  {Format::format,                    \
   LengthOf(Format::format),          \
   pops,                              \
   pushes,                            \
   ConstantShift(Format::format),     \
   IsJump(Format::format) || IsUnconditional(Op::name)},
    IPROF_JVM_OPCODES(X)
#undef X
}};

constexpr const OpInfo& InfoOf(Op op) { return kOpInfo[static_cast<uint8_t>(op)]; }

const char* OpName(Op op);  // the mnemonic: "goto", "if_icmplt"

constexpr bool IsJump(Op op) { return IsJump(InfoOf(op).format); }
constexpr bool EndsBlock(Op op) { return InfoOf(op).ends_block; }
// The conditional branch that is taken exactly when this one is not.
constexpr Op Inverted(Op op) {
  const auto v = static_cast<uint8_t>(op);
  if (op == Op::ifnull) return Op::ifnonnull;
  if (op == Op::ifnonnull) return Op::ifnull;
  return static_cast<Op>(((v + 1) ^ 1) - 1);
}
static_assert(Inverted(Op::ifeq) == Op::ifne && Inverted(Op::if_acmpne) == Op::if_acmpeq);
static_assert(EndsBlock(Op::jsr) && EndsBlock(Op::ret) && EndsBlock(Op::athrow) &&
              EndsBlock(Op::tableswitch) && EndsBlock(Op::lookupswitch) && EndsBlock(Op::ifnull) &&
              EndsBlock(Op::goto_w) && EndsBlock(Op::return_) && !EndsBlock(Op::invokestatic) &&
              !EndsBlock(Op::nop));
static_assert(static_cast<int>(Op::jsr_w) == 201 && static_cast<int>(Op::goto_) == 167);

}  // namespace iprof::classfile
