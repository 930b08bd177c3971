#include "agent/classfile/constructor.h"

namespace iprof::classfile {

namespace {
constexpr uint8_t kMostPending = 200;
}  // namespace

Reason BeforeSuper::Compute(const MethodCode& code, Arena& arena) {
  pending_ = nullptr;
  if (!code.is_constructor()) return Reason::kOk;
  if (code.file().super_class() == CpIndex::none) {
    pending_ = arena.AllocateZeroed<uint8_t>(code.count());
    return Reason::kOk;
  }
  const uint32_t n = code.count();
  auto* pending = arena.Allocate<uint8_t>(n);
  std::memset(pending, kNotReached, n);
  auto* queued = arena.AllocateZeroed<uint8_t>(n);
  auto* work = arena.Allocate<Insn>(n);
  uint32_t work_count = 0;
  bool too_many = false;
  // Paths may disagree on the count if a `new` object was dropped. The larger count treats more
  // constructor calls as that object's, and so marks more code as "before".
  const auto reach = [&](Insn i, uint32_t count) {
    if (count > kMostPending) {
      too_many = true;
      return;
    }
    if (pending[i] != kNotReached && pending[i] >= count) return;
    pending[i] = static_cast<uint8_t>(count);
    if (queued[i] != 0) return;
    queued[i] = 1;
    work[work_count++] = i;
  };
  // A handler can be entered from any instruction of its range. To keep it simple, every handler
  // gets the largest count found anywhere.
  uint32_t most = 0;
  uint32_t* reached_upto = nullptr;
  const std::string_view self = code.file().name();
  const std::string_view super = code.file().super_name();
  reach(0, 0);
  for (;;) {
    while (work_count != 0 && !too_many) {
      const Insn i = work[--work_count];
      queued[i] = 0;
      uint32_t count = pending[i];
      const Op op = code.at(i).op;
      if (op == Op::new_) {
        ++count;
      } else if (op == Op::invokespecial) {
        const std::optional<MemberRef> member = code.Member(i);
        if (!member) return Reason::kBadConstantReference;
        if (member->name == "<init>") {
          const std::string_view owner = code.file().pool().ClassName(member->owner);
          if (count == 0) {
            if (owner != self && owner != super) return Reason::kConstructorShape;
            continue;  // this call is super() or this(): the code after it is not "before"
          }
          --count;
        }
      }
      if (count > most) most = count;
      const Slot end = code.EndSlot(i);
      for (Slot slot = code.FirstSlot(i); slot < end; ++slot) reach(code.Successor(i, slot), count);
    }
    if (too_many) return Reason::kConstructorShape;
    // Add the handlers that protect any of the code found so far.
    bool grew = false;
    if (!code.exceptions().empty()) {
      if (reached_upto == nullptr) reached_upto = arena.Allocate<uint32_t>(size_t{n} + 1);
      reached_upto[0] = 0;
      for (Insn i = 0; i < n; ++i) {
        reached_upto[i + 1] = reached_upto[i] + (pending[i] != kNotReached ? 1 : 0);
      }
      for (const ExceptionEntry& e : code.exceptions()) {
        if (reached_upto[e.to] == reached_upto[e.from]) continue;
        if (pending[e.handler] == kNotReached || pending[e.handler] < most) {
          reach(e.handler, most);
          grew = true;
        }
      }
    }
    if (!grew) break;
  }
  pending_ = pending;
  return Reason::kOk;
}

}  // namespace iprof::classfile
