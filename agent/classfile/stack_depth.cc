#include "agent/classfile/stack_depth.h"

#include "agent/classfile/descriptor.h"

namespace iprof::classfile {

bool SlotCache::Slots(const MethodCode& code, Insn i, int* pops, int* pushes) {
  const Op op = code.at(i).op;
  const OpInfo& info = InfoOf(op);
  if (info.format == Format::kMultiNewArray) {
    *pops = code.BytesOf(i)[3];
    *pushes = 1;
    return true;
  }
  const CpIndex index = code.Constant(i);
  if (Value(index) >= pool_->count()) return false;
  if (entries_ == nullptr) entries_ = arena_->AllocateZeroed<Entry>(pool_->count());
  Entry& e = entries_[Value(index)];
  // The tag is part of the key, so that one constant used by different kinds of instructions is
  // still checked.
  const Tag tag = pool_->tag(index);
  const bool is_field = tag == Tag::kFieldref;
  if (is_field != (info.format == Format::kField)) return false;
  if (e.kind_and_pops == 0) {
    const std::optional<MemberRef> member = pool_->Member(index);
    if (!member || member->tag == Tag::kDynamic) return false;
    if (is_field) {
      const int slots = FieldSlots(member->descriptor);
      if (slots < 0) return false;
      e.pushes = static_cast<uint8_t>(slots);
      e.kind_and_pops = 1;
    } else {
      const MethodSlots slots = CountSlots(member->descriptor);
      if (!slots.ok) return false;
      e.pushes = static_cast<uint8_t>(slots.result);
      e.kind_and_pops = static_cast<uint16_t>(slots.arguments + 1);
    }
  }
  switch (op) {
    case Op::getstatic:
      *pops = 0;
      *pushes = e.pushes;
      return true;
    case Op::putstatic:
      *pops = e.pushes;
      *pushes = 0;
      return true;
    case Op::getfield:
      *pops = 1;
      *pushes = e.pushes;
      return true;
    case Op::putfield:
      *pops = 1 + e.pushes;
      *pushes = 0;
      return true;
    case Op::invokedynamic:
      if (tag != Tag::kInvokeDynamic) return false;
      *pops = e.kind_and_pops - 1;
      *pushes = e.pushes;
      return true;
    default:
      if (tag == Tag::kInvokeDynamic) return false;
      *pops = e.kind_and_pops - 1 + (op == Op::invokestatic ? 0 : 1);
      *pushes = e.pushes;
      return true;
  }
}

Reason StackDepths::Compute(const MethodCode& code, const FrameTable& frames, SlotCache& cache,
                            Arena& arena) {
  bound_ = code.max_stack();
  depths_ = nullptr;
  if (code.has_jsr()) return Reason::kOk;
  const uint32_t n = code.count();
  auto* depths = arena.Allocate<uint16_t>(n);
  std::memset(depths, 0xFF, n * sizeof(uint16_t));
  auto* work = arena.Allocate<Insn>(n);
  uint32_t work_count = 0;
  // Sets an instruction's depth. The first time, adds it to the work list.
  const auto reach = [&](Insn i, int depth) {
    if (depths[i] == kUnknown) {
      depths[i] = static_cast<uint16_t>(depth);
      work[work_count++] = i;
      return true;
    }
    return depths[i] == depth;
  };
  const int max_stack = code.max_stack();
  bool ok = reach(0, 0);
  for (const FrameRef& f : frames.frames()) ok = ok && reach(f.insn, f.stack_slots);
  for (const ExceptionEntry& e : code.exceptions()) ok = ok && reach(e.handler, 1);
  if (!ok || (!code.exceptions().empty() && max_stack < 1)) return Reason::kBadStack;

  while (work_count != 0) {
    Insn i = work[--work_count];
    int depth = depths[i];
    for (;;) {
      const Op op = code.at(i).op;
      const OpInfo& info = InfoOf(op);
      int pops = info.pops;
      int pushes = info.pushes;
      if ((pops == kVaries || pushes == kVaries) && !cache.Slots(code, i, &pops, &pushes)) {
        return Reason::kBadConstantReference;
      }
      if (depth < pops) return Reason::kBadStack;
      depth += pushes - pops;
      if (depth > max_stack) return Reason::kBadStack;
      if (IsSwitch(op)) {
        const Slot end = code.EndSlot(i);
        for (Slot slot = 0; slot < end; ++slot) {
          if (!reach(code.Successor(i, slot), depth)) return Reason::kBadStack;
        }
        break;
      }
      if ((info.format == Format::kBranch2 || info.format == Format::kBranch4) &&
          !reach(code.Successor(i, kTaken), depth)) {
        return Reason::kBadStack;
      }
      if (IsUnconditional(op)) break;
      ++i;
      if (depths[i] != kUnknown) {
        if (depths[i] != depth) return Reason::kBadStack;
        break;
      }
      depths[i] = static_cast<uint16_t>(depth);
    }
  }
  depths_ = depths;
  return Reason::kOk;
}

}  // namespace iprof::classfile
