// OriginalCode: the bytecode of a loaded method as its class file has it.
//
// Why: HotSpot rewrites bytecode when it links a class, and again while it interprets it. It
// replaces instructions by faster ones, constant-pool indices by indices of its caches, and an
// instruction with a debugger's breakpoint by another one. Lengths never change, so positions are
// those of the class file.
//
// The numbers of the fast instructions are not in HotSpot's tables. They are those of JDK 17 to 25,
// and they are verified: the code must consist of known instructions up to its last byte, every
// branch must lead to an instruction, and every constant must have a kind that fits the
// instruction.
//
// Guarantees: what is returned passed these checks. The index of a constant of ldc is restored if it
// is known, otherwise it is 0.
// Threads: one. Failure: nullopt or false; the method must be left out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "agent/classfile/bytes.h"
#include "agent/classfile/opcodes.h"
#include "agent/hotspot/metadata.h"
#include "writer/base/short_list.h"

namespace iprof::hotspot {

// The cache of one constant pool, read as far as it is asked for. The metadata must outlive it.
class PoolCache {
 public:
  PoolCache(const Metadata& metadata, const Pool& pool);

  // The constant-pool indices behind the operands of rewritten instructions.
  std::optional<uint16_t> OfField(uint32_t operand) const { return At(fields_, operand); }
  std::optional<uint16_t> OfMethod(uint32_t operand) const { return At(methods_, operand); }
  std::optional<uint16_t> OfDynamic(uint32_t operand) const { return At(dynamic_, operand); }
  std::optional<uint16_t> OfReference(uint32_t operand) const { return At(references_, operand); }
  // How many entries OfDynamic has: each invokedynamic instruction has one of its own. In older versions of
  // HotSpot, entries of other instructions are among them.
  uint32_t dynamic_entries() const { return dynamic_.length; }

 private:
  // An array of structures that hold an index.
  struct Indices {
    Address first = 0;  // where the first structure's index is
    uint64_t size = 0;  // of a structure
    uint32_t length = 0;
  };

  std::optional<uint16_t> At(const Indices& indices, uint32_t operand) const {
    if (operand >= indices.length) return std::nullopt;
    return memory_->Load<uint16_t>(indices.first + operand * indices.size);
  }

  const BlockCache* memory_;
  Indices fields_, methods_, dynamic_, references_;
};

// The entry that the operand of a rewritten invokedynamic instruction means.
uint32_t EntryOfDynamic(uint32_t operand);

// Breakpoints of one method: the instructions that they replaced, by bci.
using Breakpoints = std::map<uint32_t, uint8_t>;
Breakpoints ReadBreakpoints(const Metadata& metadata, Address klass, const ListedMethod& method);

// One instruction of code that passed the checks.
struct CodeInstruction {
  uint32_t bci;
  uint32_t length;
  classfile::Op op;
};

struct OriginalCode {
  std::vector<uint8_t> bytes;
  std::vector<CodeInstruction> instructions;
};

// Reads a method's code into memory that may be used already. False if it cannot be read or is not
// understood; then `code` has anything. `cache` is null if the class has not been linked: its code is
// still original.
bool ReadOriginalCode(const Metadata& metadata, const ListedMethod& method, const Pool& pool,
                      const PoolCache* cache, const Breakpoints& breakpoints, OriginalCode* code);

// For tests: the instructions of code that was not rewritten; nullopt if it does not consist of
// instructions.
std::optional<std::vector<CodeInstruction>> SplitCode(std::span<const uint8_t> code);

// Where a jump leads to. If: target, fall-through. Switch: the keys in table order, then the
// default. Empty for other instructions and for goto: use JumpTarget.
using Targets = ShortList<uint32_t, 2>;
Targets SuccessorBcis(std::span<const uint8_t> code, const CodeInstruction& insn);
// Calls visit(bci) for each of them, in that order.
template <typename Visit>
void ForEachSuccessor(std::span<const uint8_t> code, const CodeInstruction& insn, Visit visit) {
  const uint8_t* at = code.data() + insn.bci;
  const auto target = [&](int32_t delta) {
    return static_cast<uint32_t>(int64_t{insn.bci} + delta);
  };
  if (classfile::IsConditionalBranch(insn.op)) {
    visit(target(classfile::LoadS2(at + 1)));
    visit(insn.bci + insn.length);
    return;
  }
  if (!classfile::IsSwitch(insn.op)) return;
  const uint8_t* p = code.data() + ((insn.bci + 4) & ~uint32_t{3});
  const bool is_lookup = insn.op == classfile::Op::lookupswitch;
  const uint32_t keys = is_lookup ? classfile::LoadU4(p + 4)
                                  : classfile::LoadU4(p + 8) - classfile::LoadU4(p + 4) + 1;
  for (uint32_t k = 0; k < keys; ++k)
    visit(target(classfile::LoadS4(p + 12 + (is_lookup ? 8 : 4) * size_t{k})));
  visit(target(classfile::LoadS4(p)));
}
// goto, goto_w, jsr, jsr_w.
inline std::optional<uint32_t> JumpTarget(std::span<const uint8_t> code,
                                          const CodeInstruction& insn) {
  if (!classfile::IsGoto(insn.op) && !classfile::IsJsr(insn.op)) return std::nullopt;
  const uint8_t* const at = code.data() + insn.bci + 1;
  const bool is_far = classfile::InfoOf(insn.op).format == classfile::Format::kBranch4;
  return static_cast<uint32_t>(int64_t{insn.bci} +
                               (is_far ? classfile::LoadS4(at) : classfile::LoadS2(at)));
}

}  // namespace iprof::hotspot
