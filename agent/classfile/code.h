// MethodCode: one method's code as a list of instructions, for planning and for rewriting.
//
// Guarantees: after Decode gives kOk every instruction is known and whole, every branch, switch key
// and exception-table entry points to an instruction, every constant named is one that the class
// has (of whatever kind), and control cannot run off the end. Nothing
// is said about types: that is the verifier's. Read-only for its users, so that a plan can be made
// without inserting anything. Lives in the arena given (a few bytes per byte of code); the class's
// bytes must outlive it. Not shared between threads while being decoded.
//
// Edges are named by the instruction they leave and a slot:
//   slot 0   the instruction that follows in the code (every instruction that can go on; for jsr:
//            where its subroutine returns to); for a switch: the default target
//   slot 1   the target of a conditional branch, goto or jsr; the first key of a switch
//   slot k   the k-th key of a switch in table order, gaps of a tableswitch included
#pragma once

#include "agent/classfile/class_file.h"
#include "agent/classfile/opcodes.h"

namespace iprof::classfile {

using Slot = uint32_t;
inline constexpr Slot kFallThrough = 0;
inline constexpr Slot kTaken = 1;
inline constexpr Slot kSwitchDefault = 0;

enum InstructionFlag : uint8_t {
  kIsWide = 1,          // has a wide prefix; `op` is the widened instruction
  kIsBranchTarget = 2,  // some branch or switch goes here
  kIsHandler = 4,       // some exception-table entry goes here
  kHasFrame = 8,        // a stack map frame stands here (known after frames were read)
  kCatchesItself = 16,  // a handler in a range that it catches for, as javac's finally
  kCatchesAny = 32,     // a handler of exceptions of any class
};

struct Instruction {
  Bci bci;
  Op op;
  uint8_t flags;
};

struct ExceptionEntry {
  Insn from;
  Insn to;  // exclusive; count() when the range reaches the end
  Insn handler;
  CpIndex catch_type;  // none: any
};

class MethodCode {
 public:
  Reason Decode(const ClassFile& file, const MemberInfo& method, Arena& arena);

  const ClassFile& file() const { return *file_; }
  const MemberInfo& method() const { return *method_; }
  ByteSpan code() const { return code_; }
  uint16_t max_stack() const { return max_stack_; }
  uint16_t max_locals() const { return max_locals_; }
  bool is_static() const { return (method_->access & kAccStatic) != 0; }
  bool is_constructor() const { return is_constructor_; }
  bool has_jsr() const { return has_jsr_; }  // jsr, jsr_w or ret occurs
  bool has_monitorenter() const { return has_monitorenter_; }
  // Versions before 45.3 have a shorter Code header.
  bool short_header() const { return short_header_; }
  AttributeWalk attributes() const { return {attributes_, attribute_count_}; }
  uint32_t attribute_count() const { return attribute_count_; }

  uint32_t count() const { return count_; }
  const Instruction& at(Insn i) const { return insns_[i]; }
  std::span<const Instruction> instructions() const { return {insns_, count_}; }
  // The branches and switches, ascending: most instructions are none, and many a method has none.
  std::span<const uint16_t> jumps() const { return {jumps_, jump_count_}; }
  std::span<const ExceptionEntry> exceptions() const { return {exceptions_, exception_count_}; }
  Bci BciOf(Insn i) const { return insns_[i].bci; }
  uint32_t OffsetOf(Insn i) const {  // of the end of the code for count()
    return i < count_ ? Value(insns_[i].bci) : static_cast<uint32_t>(code_.size());
  }
  uint32_t LengthOf(Insn i) const { return OffsetOf(i + 1) - OffsetOf(i); }
  const uint8_t* BytesOf(Insn i) const { return code_.data() + OffsetOf(i); }
  // The instruction that starts at an offset; kNone when none does.
  static constexpr Insn kNone = ~Insn{0};
  Insn IndexAt(uint32_t offset) const {
    if (offset >= code_.size() || index_at_[offset] == kNoIndex) return kNone;
    return index_at_[offset];
  }
  Insn IndexAt(Bci bci) const { return IndexAt(uint32_t{Value(bci)}); }
  // As IndexAt, and count() for the offset of the end.
  Insn BoundaryAt(uint32_t offset) const {
    return offset == code_.size() ? count_ : IndexAt(offset);
  }

  // Operands; only for instructions that have them.
  uint32_t Local(Insn i) const;    // loads, stores, ret, iinc; also the short forms
  CpIndex Constant(Insn i) const;  // everything that names a constant
  std::optional<MemberRef> Member(Insn i) const { return file_->pool().Member(Constant(i)); }
  int32_t Immediate(Insn i) const;  // bipush, sipush, newarray, iinc's increment

  // Successors within the code (exceptions apart): slots first_slot() … end_slot()-1.
  Slot FirstSlot(Insn i) const {
    const Op op = insns_[i].op;
    return IsGoto(op) ? 1 : 0;
  }
  Slot EndSlot(Insn i) const;
  Insn Successor(Insn i, Slot slot) const;  // kNone when there is no such edge
  uint32_t SwitchKeyCount(Insn i) const;
  int32_t SwitchKey(Insn i, Slot slot) const;  // slot ≥ 1
  // Whether control can come to i from the instruction before it.
  bool CanFallInto(Insn i) const { return i > 0 && !IsUnconditional(insns_[i - 1].op); }
  // Whether a basic block starts at i: control comes from elsewhere, or not always from before.
  bool StartsBlock(Insn i) const {
    if (i == 0 || (insns_[i].flags & (kIsBranchTarget | kIsHandler)) != 0) return true;
    const Op before = insns_[i - 1].op;
    return IsUnconditional(before) || IsConditionalBranch(before) || IsJsr(before);
  }

  // For the reader of stack maps, which adds what it learns.
  void MarkFrame(Insn i) { insns_[i].flags |= kHasFrame; }

 private:
  static constexpr uint16_t kNoIndex = 0xFFFF;

  Reason ReadHeader();
  Reason ReadInstructions(Arena& arena);
  Reason CheckBranches();
  Reason ReadExceptions(Arena& arena);
  // Where a switch's operands start, padding skipped.
  const uint8_t* SwitchOperands(Insn i) const {
    return code_.data() + ((OffsetOf(i) + 4) & ~uint32_t{3});
  }
  Insn TargetAt(Insn i, int32_t delta) const {
    return IndexAt(static_cast<uint32_t>(static_cast<int64_t>(OffsetOf(i)) + delta));
  }

  const ClassFile* file_ = nullptr;
  const MemberInfo* method_ = nullptr;
  ByteSpan code_;
  const uint8_t* exception_bytes_ = nullptr;
  const uint8_t* attributes_ = nullptr;
  Instruction* insns_ = nullptr;
  uint16_t* index_at_ = nullptr;
  uint16_t* jumps_ = nullptr;
  ExceptionEntry* exceptions_ = nullptr;
  uint32_t count_ = 0;
  uint32_t jump_count_ = 0;
  uint32_t exception_count_ = 0;
  uint32_t attribute_count_ = 0;
  uint16_t max_stack_ = 0;
  uint16_t max_locals_ = 0;
  bool is_constructor_ = false;
  bool has_jsr_ = false;
  bool has_monitorenter_ = false;
  bool short_header_ = false;
};

}  // namespace iprof::classfile
