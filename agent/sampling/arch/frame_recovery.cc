// Runs inside the sampling signal handler: plain memory only.
#include "agent/sampling/arch/frame_recovery.h"

#include "agent/sampling/arch/frame_layout.h"

namespace iprof::sampling {
namespace {

constexpr uintptr_t kWord = sizeof(uintptr_t);
// How far up the stack to look for the caller of a stub or of a native leaf such as memcpy, in
// words. C1's stubs save every register, vectors too.
constexpr uintptr_t kScanWords = 256;
// How many native frames (libjvm's have frame pointers) to walk out of.
constexpr int kNativeFrames = 64;
// A method's first instructions, where nothing is pushed yet whatever they are (receiver check,
// stack bang).
constexpr uintptr_t kEntryBytes = 64;
// A method has at most 255 words of arguments, which an adapter puts between the frames.
constexpr uintptr_t kArgumentWords = 264;
// The words that the interpreter pushes onto a frame pointer before it runs a method.
constexpr uintptr_t kInterpreterFrameWords = 12;

class StackReader {
 public:
  StackReader(uintptr_t low, uintptr_t end) : low_(low), end_(end) {}
  // Any word of the stack, whosever it is: AddressSanitizer must not ask for its variable.
  __attribute__((no_sanitize("address"))) bool Read(uintptr_t at, uintptr_t* value) const {
    if (at < low_ || at % kWord != 0 || end_ < kWord || at > end_ - kWord) return false;
    *value = *reinterpret_cast<const uintptr_t*>(at);
    return true;
  }

 private:
  uintptr_t low_;
  uintptr_t end_;
};

class Popper {
 public:
  Popper(const MachineContext& at, FrameAt where, uintptr_t stack_end, const CodeRanges& code)
      : at_(at), where_(where), stack_(at.sp, stack_end), code_(code) {}

  bool Pop(PoppedLeaf* popped) const {
    const CodeRange* range = code_.Find(at_.pc);
    if (range == nullptr) {
      return where_ == FrameAt::kInterrupted &&
             (LeaveNative(&popped->caller) || ScanForNativeCall(&popped->caller));
    }
    switch (range->kind) {
      case CodeKind::kStub:
      case CodeKind::kUnwinder:
        return PopStub(*range, &popped->caller);
      case CodeKind::kInterpreter:
        return where_ == FrameAt::kInterrupted && PopInterpreted(&popped->caller);
      case CodeKind::kCompiled:
        return PopCompiled(*range, popped);
    }
    return false;
  }

  bool ScanForCallOf(const CodeRange& stub, MachineContext* caller) const {
    for (uintptr_t i = 0; i < kScanWords; ++i) {
      uintptr_t pc = 0;
      const uintptr_t slot = at_.sp + i * kWord;
      if (!stack_.Read(slot, &pc)) return false;
      const CodeRange* range = code_.Find(pc);
      if (range == nullptr || range->kind != CodeKind::kCompiled) continue;
      if (stub.Contains(CallTarget(CodeReader(*range), pc))) return Leave(slot, pc, at_.fp, caller);
    }
    return false;
  }

  bool PopUnderTop(MachineContext* caller) const {
    return PopLayout({static_cast<int64_t>(kWord), 0, true}, caller);
  }

 private:
  bool PopCompiled(const CodeRange& range, PoppedLeaf* popped) const {
    const CodeReader code(range);
    const FrameLayout layout =
        where_ == FrameAt::kInterrupted ? LayoutAt(code, at_.pc) : LayoutInEntryCall(code, at_.pc);
    popped->has_leaf = layout.is_leaf;
    popped->leaf = {range.BciAt(at_.pc), range.method};
    if (layout.is_known) return PopLayout(layout, &popped->caller);
    if (where_ != FrameAt::kInterrupted) return false;
    if (at_.pc - range.start < kEntryBytes)
      return PopTop(&popped->caller) || PopUnderTop(&popped->caller);
    // Intrinsics that need stack of their own first note where it was.
    uintptr_t noted = 0;
    popped->has_leaf = false;
    if (!stack_.Read(at_.sp, &noted) || noted != at_.sp + kWord) return false;
    popped->caller = {at_.pc, noted, at_.fp, 0};
    return true;
  }

  bool PopStub(const CodeRange& stub, MachineContext* caller) const {
    return PopTop(caller) || ScanForCallOf(stub, caller) || PopUnderTop(caller) || PopFrame(caller);
  }

  // A method's frame is being built; it is not its caller's any more than a call instruction would
  // be. Adapters make room for the arguments between two frames: where the caller's ends is in a
  // register at first, then in the frame.
  bool PopInterpreted(MachineContext* caller) const {
    uintptr_t pc = 0;
    if (stack_.Read(at_.sp, &pc) && IsReturnAddress(pc))
      return LeaveInterpreted(at_.sp, pc, at_.fp, at_.sender_sp, caller);
    uintptr_t fp = 0;
    if (at_.fp < at_.sp || at_.fp - at_.sp > kInterpreterFrameWords * kWord) return false;
    if (!stack_.Read(at_.fp, &fp) || !stack_.Read(at_.fp + kWord, &pc) || !IsReturnAddress(pc))
      return false;
    uintptr_t sender_sp = at_.sender_sp;
    if (at_.fp > at_.sp) stack_.Read(at_.fp - kWord, &sender_sp);
    return LeaveInterpreted(at_.fp + kWord, pc, fp, sender_sp, caller);
  }

  bool LeaveInterpreted(uintptr_t slot, uintptr_t pc, uintptr_t fp, uintptr_t sender_sp,
                        MachineContext* caller) const {
    *caller = {pc, slot + kWord, fp, 0};
    const bool plausible =
        sender_sp % kWord == 0 && sender_sp > slot && sender_sp - slot <= kArgumentWords * kWord;
    if (plausible) caller->sp = sender_sp;
    return plausible || code_.Find(pc)->kind == CodeKind::kInterpreter;
  }

  // Along the frame pointers of native frames to the generated code that called them.
  bool LeaveNative(MachineContext* caller) const {
    uintptr_t fp = at_.fp;
    for (int i = 0; i < kNativeFrames; ++i) {
      uintptr_t outer = 0;
      uintptr_t pc = 0;
      if (!stack_.Read(fp, &outer) || !stack_.Read(fp + kWord, &pc)) return false;
      if (const CodeRange* range = code_.Find(pc)) {
        return CallsNative(*range, pc) && Leave(fp + kWord, pc, outer, caller);
      }
      if (outer <= fp) return false;
      fp = outer;
    }
    return false;
  }

  bool ScanForNativeCall(MachineContext* caller) const {
    for (uintptr_t i = 0; i < kScanWords; ++i) {
      uintptr_t pc = 0;
      const uintptr_t slot = at_.sp + i * kWord;
      if (!stack_.Read(slot, &pc)) return false;
      const CodeRange* range = code_.Find(pc);
      if (range != nullptr && CallsNative(*range, pc)) return Leave(slot, pc, at_.fp, caller);
    }
    return false;
  }

  bool PopTop(MachineContext* caller) const {
    if (at_.link != 0 && where_ == FrameAt::kInterrupted) {
      if (!IsReturnAddress(at_.link)) return false;
      *caller = {at_.link, at_.sp, at_.fp, 0};
      return true;
    }
    uintptr_t pc = 0;
    return stack_.Read(at_.sp, &pc) && IsReturnAddress(pc) && Leave(at_.sp, pc, at_.fp, caller);
  }

  // Through the frame pointer; the check on entry leaves a word of ones under its own.
  bool PopFrame(MachineContext* caller) const {
    uintptr_t fp = 0;
    uintptr_t pc = 0;
    uintptr_t slot = at_.fp + kWord;
    if (!stack_.Read(at_.fp, &fp) || !stack_.Read(slot, &pc)) return false;
    if (pc == UINTPTR_MAX && !stack_.Read(slot += kWord, &pc)) return false;
    return IsReturnAddress(pc) && Leave(slot, pc, fp, caller);
  }

  bool PopLayout(const FrameLayout& layout, MachineContext* caller) const {
    if (layout.return_at == 0) return PopTop(caller);
    uintptr_t pc = 0;
    uintptr_t fp = at_.fp;
    const uintptr_t slot = at_.sp + static_cast<uintptr_t>(layout.return_at);
    if (!stack_.Read(slot, &pc) || !IsReturnAddress(pc)) return false;
    if (layout.fp_at != FrameLayout::kInRegister &&
        !stack_.Read(at_.sp + static_cast<uintptr_t>(layout.fp_at), &fp))
      return false;
    return Leave(slot, pc, fp, caller);
  }

  static bool Leave(uintptr_t slot, uintptr_t pc, uintptr_t fp, MachineContext* caller) {
    *caller = {pc, slot + kWord, fp, 0};
    return true;
  }

  // Generated code that has just called something outside of generated code.
  bool CallsNative(const CodeRange& range, uintptr_t pc) const {
    const uintptr_t target = CallTarget(CodeReader(range), pc);
    return target != 0 && code_.Find(target) == nullptr;
  }

  bool IsReturnAddress(uintptr_t pc) const {
    const CodeRange* range = code_.Find(pc);
    if (range == nullptr) return false;
    // The interpreter jumps with a return address of its own making; compiled code calls.
    return range->kind != CodeKind::kCompiled || FollowsCall(CodeReader(*range), pc);
  }

  const MachineContext& at_;
  const FrameAt where_;
  StackReader stack_;
  const CodeRanges& code_;
};

}  // namespace

bool PopLeaf(const MachineContext& at, FrameAt where, uintptr_t stack_end, const CodeRanges& code,
             PoppedLeaf* popped) noexcept {
  if (!kCanReadContext) return false;
  *popped = PoppedLeaf{};
  return Popper(at, where, stack_end, code).Pop(popped);
}

bool FindCallerOfStub(uintptr_t stub_pc, uintptr_t stack_pointer, uintptr_t stack_end,
                      const CodeRanges& code, MachineContext* caller) noexcept {
  const CodeRange* stub = code.Find(stub_pc);
  if (stub == nullptr) return false;
  const MachineContext at{stub_pc, stack_pointer, 0, 0};
  const Popper popper(at, FrameAt::kCall, stack_end, code);
  // It is jumped to, with the return address of the call that threw; all that it pushes is the
  // frame pointer.
  if (stub->kind == CodeKind::kUnwinder) return popper.PopUnderTop(caller);
  return stub->kind == CodeKind::kStub && popper.ScanForCallOf(*stub, caller);
}

uintptr_t InsideCall(uintptr_t return_address, const CodeRanges& code) noexcept {
  const CodeRange* range = code.Find(return_address);
  return range != nullptr && range->kind == CodeKind::kCompiled ? return_address - 1
                                                                : return_address;
}

}  // namespace iprof::sampling
