#include "agent/classfile/uninitialized.h"

#include <algorithm>

namespace iprof::classfile {

namespace {

// Counts the objects in a frame. Copies of one object name the same `new` and count once, unless
// there are too many to compare.
class FrameObjects {
 public:
  explicit FrameObjects(const FullFrame& frame) {
    for (uint32_t k = 0; k < frame.local_count; ++k) Add(frame.locals[k]);
    for (uint32_t k = 0; k < frame.stack_count; ++k) Add(frame.stack[k]);
  }
  uint32_t count() const { return count_; }

 private:
  void Add(const VerificationType& type) {
    if (type.tag != kItemUninitialized && type.tag != kItemUninitializedThis) return;
    const VerificationType* end = seen_ + std::min(count_, kMostSeen);
    if (std::find(static_cast<const VerificationType*>(seen_), end, type) != end) return;
    if (count_ < kMostSeen) seen_[count_] = type;
    ++count_;
  }

  static constexpr uint32_t kMostSeen = 16;
  VerificationType seen_[kMostSeen] = {};
  uint32_t count_ = 0;
};

}  // namespace

Reason UninitializedObjects::Compute(const MethodCode& code, Arena& arena) {
  FrameTable frames;
  if (const Reason r = frames.Find(code, arena); r != Reason::kOk) return r;
  const std::span<const FrameRef> refs = frames.frames();
  auto* wanted = arena.Allocate<uint8_t>(refs.size());
  std::fill_n(wanted, refs.size(), uint8_t{1});
  auto* full = arena.Allocate<FullFrame>(refs.size());
  FullFrame initial;
  if (const Reason r = frames.Expand(code, wanted, full, &initial, arena); r != Reason::kOk) {
    return r;
  }
  may_be_ = arena.Allocate<uint8_t>(code.count());
  uint32_t pending = FrameObjects(initial).count();
  size_t frame = 0;
  for (Insn i = 0; i < code.count(); ++i) {
    for (; frame < refs.size() && refs[frame].insn == i; ++frame) {
      pending = FrameObjects(full[frame]).count();
    }
    may_be_[i] = pending != 0 ? 1 : 0;
    const Op op = code.at(i).op;
    if (op == Op::new_) {
      ++pending;
    } else if (op == Op::invokespecial && pending != 0) {
      const std::optional<MemberRef> member = code.Member(i);
      if (!member) return Reason::kBadConstantReference;
      if (member->name == "<init>") --pending;
    }
  }
  return Reason::kOk;
}

}  // namespace iprof::classfile
