// MethodCode: one method's code as a list of instructions, for planning and for rewriting.
//
// Guarantees: if Decode returns kOk, every instruction is known and complete; every branch, switch
// key and exception-table entry points to an instruction; every constant index exists in the pool
// (its kind is not checked); and control cannot run off the end. Types are not checked; that is the
// verifier's task. Users cannot change it, so a plan can be made without inserting anything. It
// lives in the given arena (a few bytes per byte of code). The class's bytes must outlive it.
// Threads: one while decoding; afterwards const methods may run in parallel.
// Failure: Decode returns the reason.
//
// An edge is named by the instruction that it leaves and a slot:
//   slot 0   the next instruction in the code, if control can continue there (for jsr: where its
//            subroutine returns to); for a switch: the default target
//   slot 1   the target of a conditional branch, goto or jsr; the first key of a switch
//   slot k   the k-th key of a switch in table order, including the gaps of a tableswitch
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
  kIsBranchTarget = 2,  // a branch or switch goes here
  kIsHandler = 4,       // an exception-table entry goes here
  kHasFrame = 8,        // has a stack map frame (known after frames were read)
  kCatchesItself = 16,  // a handler inside a range that it protects itself, as in javac's finally
  kCatchesAny = 32,     // a handler for exceptions of any class
};

struct Instruction {
  Bci bci;
  Op op;
  uint8_t flags;
};

struct ExceptionEntry {
  Insn from;
  Insn to;  // exclusive; count() if the range ends with the code
  Insn handler;
  CpIndex catch_type;  // none: any class
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
  bool has_jsr() const { return has_jsr_; }  // contains jsr, jsr_w or ret
  bool has_monitorenter() const { return has_monitorenter_; }
  // Versions before 45.3 have a shorter Code header.
  bool short_header() const { return short_header_; }
  AttributeWalk attributes() const { return {attributes_, attribute_count_}; }
  uint32_t attribute_count() const { return attribute_count_; }

  uint32_t count() const { return count_; }
  const Instruction& at(Insn i) const { return insns_[i]; }
  std::span<const Instruction> instructions() const { return {insns_, count_}; }
  // The branches and switches, in ascending order. Most methods have few or none.
  std::span<const uint16_t> jumps() const { return {jumps_, jump_count_}; }
  std::span<const ExceptionEntry> exceptions() const { return {exceptions_, exception_count_}; }
  Bci BciOf(Insn i) const { return insns_[i].bci; }
  uint32_t OffsetOf(Insn i) const {  // for count(): the end of the code
    return i < count_ ? Value(insns_[i].bci) : static_cast<uint32_t>(code_.size());
  }
  uint32_t LengthOf(Insn i) const { return OffsetOf(i + 1) - OffsetOf(i); }
  const uint8_t* BytesOf(Insn i) const { return code_.data() + OffsetOf(i); }
  // The instruction that starts at an offset, or kNone.
  static constexpr Insn kNone = ~Insn{0};
  Insn IndexAt(uint32_t offset) const {
    if (offset >= code_.size() || index_at_[offset] == kNoIndex) return kNone;
    return index_at_[offset];
  }
  Insn IndexAt(Bci bci) const { return IndexAt(uint32_t{Value(bci)}); }
  // Like IndexAt, but returns count() for the end of the code.
  Insn BoundaryAt(uint32_t offset) const {
    return offset == code_.size() ? count_ : IndexAt(offset);
  }

  // Operands, for instructions that have them.
  uint32_t Local(Insn i) const;    // loads, stores (also their short forms), ret, iinc
  CpIndex Constant(Insn i) const;  // instructions that name a constant
  std::optional<MemberRef> Member(Insn i) const { return file_->pool().Member(Constant(i)); }
  int32_t Immediate(Insn i) const;  // bipush, sipush, newarray, iinc's increment

  // Successors within the code, without exceptions: the slots from FirstSlot() up to EndSlot() - 1.
  Slot FirstSlot(Insn i) const {
    const Op op = insns_[i].op;
    return IsGoto(op) ? 1 : 0;
  }
  Slot EndSlot(Insn i) const;
  Insn Successor(Insn i, Slot slot) const;  // kNone if there is no such edge
  uint32_t SwitchKeyCount(Insn i) const;
  int32_t SwitchKey(Insn i, Slot slot) const;  // slot ≥ 1
  // Whether control can reach i from the instruction before it.
  bool CanFallInto(Insn i) const { return i > 0 && !IsUnconditional(insns_[i - 1].op); }
  // Whether a basic block starts at i: i is a target, or the instruction before it does not always
  // continue here.
  bool StartsBlock(Insn i) const {
    if (i == 0 || (insns_[i].flags & (kIsBranchTarget | kIsHandler)) != 0) return true;
    const Op before = insns_[i - 1].op;
    return IsUnconditional(before) || IsConditionalBranch(before) || IsJsr(before);
  }

  // Called by the reader of stack maps.
  void MarkFrame(Insn i) { insns_[i].flags |= kHasFrame; }

 private:
  static constexpr uint16_t kNoIndex = 0xFFFF;

  Reason ReadHeader();
  Reason ReadInstructions(Arena& arena);
  Reason CheckBranches();
  Reason ReadExceptions(Arena& arena);
  // The first operand of a switch, after the padding.
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
