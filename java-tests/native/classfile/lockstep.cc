#include "java-tests/native/classfile/lockstep.h"

namespace iprof::classfile {

namespace {

constexpr uint64_t kMostHandlerSteps = 4u << 20;

class Walker {
 public:
  Walker(const MethodCode& original, const MethodCode& rewritten, Arena& arena)
      : a_(&original), b_(&rewritten), arena_(&arena) {
    partner_ = arena.Allocate<Insn>(a_->count());
    for (Insn i = 0; i < a_->count(); ++i) partner_[i] = MethodCode::kNone;
    compares_handlers_ =
        uint64_t{a_->count() + b_->count()} * (a_->exceptions().size() + 1) < kMostHandlerSteps;
  }

  LockstepResult Walk() {
    Meet(0, 0);
    while (!work_.empty() && result_.ok()) {
      const Insn i = work_.back();
      work_.Truncate(work_.size() - 1);
      Compare(i, partner_[i]);
    }
    return result_;
  }

 private:
  static constexpr Insn kEndlessLoop = MethodCode::kNone - 1;

  void Differ(const char* what, Insn i, Insn j) {
    if (result_.ok()) result_ = {what, i, j};
  }

  // The next instruction that is not a no-op or goto.
  static Insn Settle(const MethodCode& code, Insn i) {
    for (uint32_t steps = 0; steps <= code.count(); ++steps) {
      const Op op = code.at(i).op;
      if (op == Op::nop) {
        ++i;
      } else if (IsGoto(op)) {
        i = code.Successor(i, kTaken);
      } else {
        return i;
      }
    }
    return kEndlessLoop;
  }

  // Control reaches i in the original and j in the rewritten code.
  void Meet(Insn i, Insn j) {
    const Insn a = Settle(*a_, i);
    const Insn b = Settle(*b_, j);
    if (a == kEndlessLoop || b == kEndlessLoop) {
      if (a != b) Differ("only one loops for ever", i, j);
      return;
    }
    if (partner_[a] == b) return;
    if (partner_[a] != MethodCode::kNone) {
      Differ("arrives elsewhere", a, b);
      return;
    }
    partner_[a] = b;
    work_.Push(*arena_, a);
  }

  static Op Plain(Op op) { return op == Op::jsr_w ? Op::jsr : op; }

  void Compare(Insn i, Insn j) {
    const Op op = a_->at(i).op;
    const Op other = b_->at(j).op;
    if (IsConditionalBranch(op)) {
      if (other == op) {
        Meet(i + 1, j + 1);
        Meet(a_->Successor(i, kTaken), b_->Successor(j, kTaken));
      } else if (other == Inverted(op)) {
        Meet(i + 1, b_->Successor(j, kTaken));
        Meet(a_->Successor(i, kTaken), j + 1);
      } else {
        Differ("other instruction", i, j);
      }
    } else if (Plain(op) != Plain(other) ||
               (a_->at(i).flags & kIsWide) != (b_->at(j).flags & kIsWide)) {
      Differ("other instruction", i, j);
    } else if (IsSwitch(op)) {
      const uint32_t keys = a_->SwitchKeyCount(i);
      if (keys != b_->SwitchKeyCount(j)) return Differ("other number of keys", i, j);
      for (Slot slot = 0; slot <= keys && result_.ok(); ++slot) {
        if (slot > 0 && a_->SwitchKey(i, slot) != b_->SwitchKey(j, slot)) Differ("other key", i, j);
        Meet(a_->Successor(i, slot), b_->Successor(j, slot));
      }
    } else if (IsJsr(op)) {
      Meet(i + 1, j + 1);
      Meet(a_->Successor(i, kTaken), b_->Successor(j, kTaken));
    } else {
      const uint32_t length = a_->LengthOf(i);
      if (length != b_->LengthOf(j) || std::memcmp(a_->BytesOf(i), b_->BytesOf(j), length) != 0) {
        Differ("other operands", i, j);
      } else if (!IsUnconditional(op)) {
        Meet(i + 1, j + 1);
      }
    }
    if (compares_handlers_) CompareHandlers(i, j);
  }

  void CompareHandlers(Insn i, Insn j) {
    const std::span<const ExceptionEntry> theirs = b_->exceptions();
    size_t k = 0;
    const auto next = [&] {
      while (k < theirs.size() && !(theirs[k].from <= j && j < theirs[k].to)) ++k;
      return k < theirs.size() ? &theirs[k++] : nullptr;
    };
    for (const ExceptionEntry& e : a_->exceptions()) {
      if (!(e.from <= i && i < e.to)) continue;
      const ExceptionEntry* other = next();
      if (other == nullptr) return Differ("a handler is missing", i, j);
      if (other->catch_type != e.catch_type) return Differ("other exception type", i, j);
      Meet(e.handler, other->handler);
    }
    const ExceptionEntry* extra = next();
    if (extra != nullptr && (extra->catch_type != CpIndex::none || next() != nullptr)) {
      Differ("too many handlers", i, j);
    }
  }

  const MethodCode* a_;
  const MethodCode* b_;
  Arena* arena_;
  Insn* partner_;
  ArenaVector<Insn> work_;
  bool compares_handlers_;
  LockstepResult result_;
};

}  // namespace

LockstepResult WalkInLockstep(const MethodCode& original, const MethodCode& rewritten,
                              Arena& arena) {
  return Walker(original, rewritten, arena).Walk();
}

LockstepResult WalkClassInLockstep(ByteSpan original, ByteSpan rewritten, Workspace& memory,
                                   uint32_t* method) {
  ClassFile before;
  ClassFile after;
  *method = 0;
  if (before.Parse(original, memory.class_memory) != Reason::kOk) return {};
  if (after.Parse(rewritten, memory.class_memory) != Reason::kOk) return {"does not parse", 0, 0};
  if (before.methods().size() != after.methods().size()) return {"other methods", 0, 0};
  for (uint32_t m = 0; m < before.methods().size(); ++m) {
    *method = m;
    memory.method_memory.Reset();
    MethodCode a;
    MethodCode b;
    if (a.Decode(before, before.methods()[m], memory.method_memory) != Reason::kOk) continue;
    if (b.Decode(after, after.methods()[m], memory.method_memory) != Reason::kOk) {
      return {"code became unreadable", 0, 0};
    }
    const LockstepResult r = WalkInLockstep(a, b, memory.method_memory);
    if (!r.ok()) return r;
  }
  return {};
}

}  // namespace iprof::classfile
