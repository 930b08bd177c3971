// Runs inside the sampling signal handler: plain memory only.
//
// aarch64: a call leaves the return address in x30, so a leaf may have stored it nowhere else.
// HotSpot's frames store x29 and x30 in their two uppermost words; C code stores them anywhere in
// its frame, usually at the lower end. So a native frame has its caller's program counter, but
// not where the caller's frame begins. C2 helps: before it calls native code, it pushes a zero and
// the return address ("breadcrumb").
//
// With branch protection, the upper bits of return addresses hold a signature, which is removed
// here.
#include "agent/sampling/arch/aarch64_code.h"
#include "agent/sampling/arch/frame_popper.h"
#include "agent/sampling/arch/processor.h"

namespace iprof::sampling {
namespace {

// The words from the stack pointer to the frame pointer while the interpreter builds a frame. The
// real number is 10 or 12, see generate_fixed_frame in HotSpot.
constexpr uintptr_t kInterpreterFrameWords = 14;
constexpr int kFirstJdkWithX19 = 20;

constexpr uintptr_t WithoutSignature(uintptr_t pc) { return pc & ((uintptr_t{1} << 48) - 1); }

class Popper final : FramePopper {
 public:
  Popper(const MachineContext& at, FrameAt where, const StackView& view)
      : FramePopper(at, where, view), link_(WithoutSignature(at.link)) {}

  bool Pop(PoppedLeaf* popped) const {
    const CodeRange* range = view_.code.Find(at_.pc);
    if (range == nullptr) return where_ == FrameAt::kInterrupted && LeaveNative(&popped->caller);
    switch (range->kind) {
      case CodeKind::kStub:
      case CodeKind::kUnwinder:
        return PopStub(*range, &popped->caller);
      case CodeKind::kInterpreter:
        return where_ == FrameAt::kInterrupted && PopInterpreted(*range, &popped->caller);
      case CodeKind::kCompiled:
        return PopCompiled(*range, popped);
    }
    return false;
  }

  bool ScanForCallOf(const CodeRange& stub, MachineContext* caller) const {
    for (uintptr_t i = 1; i < kScanWords; ++i) {
      uintptr_t pc = 0;
      uintptr_t fp = 0;
      const uintptr_t slot = at_.sp + i * kWord;
      if (!stack_.Read(slot, &pc)) return false;
      if (CallsStub(WithoutSignature(pc), stub) && stack_.Read(slot - kWord, &fp))
        return Leave(pc, slot + kWord, fp, caller);
    }
    return false;
  }

  bool PopRecordOnTop(MachineContext* caller) const {
    return PopLayout(FrameLayout::OnStack(static_cast<int64_t>(kWord), 0), caller);
  }

 private:
  bool FollowsCall(const CodeReader& code, uintptr_t pc) const override {
    return aarch64::FollowsCall(code, pc);
  }
  uintptr_t CallTarget(const CodeReader& code, uintptr_t pc) const override {
    return aarch64::CallTarget(code, pc);
  }

  // After a call, the register holds something else.
  bool HasLink() const { return where_ == FrameAt::kInterrupted && IsReturnAddress(link_); }

  bool PopCompiled(const CodeRange& range, PoppedLeaf* popped) const {
    const CodeReader code(range);
    const FrameLayout layout = where_ == FrameAt::kInterrupted
                                   ? aarch64::LayoutAt(code, at_.pc)
                                   : aarch64::LayoutInEntryCall(code, at_.pc);
    if (!layout.is_known) return false;
    if (layout.is_leaf) {
      popped->leaf = &range;
      popped->leaf_pc = at_.pc;
    }
    return PopLayout(layout, &popped->caller);
  }

  bool PopLayout(const FrameLayout& layout, MachineContext* caller) const {
    const uintptr_t caller_sp = at_.sp + static_cast<uintptr_t>(layout.frame_bytes);
    if (layout.return_at == FrameLayout::kInRegister)
      return HasLink() && Leave(link_, caller_sp, at_.fp, caller);
    uintptr_t pc = 0;
    uintptr_t fp = at_.fp;
    if (!stack_.Read(at_.sp + static_cast<uintptr_t>(layout.return_at), &pc) ||
        !IsReturnAddress(WithoutSignature(pc)))
      return false;
    if (layout.fp_at != FrameLayout::kInRegister &&
        !stack_.Read(at_.sp + static_cast<uintptr_t>(layout.fp_at), &fp))
      return false;
    return Leave(pc, caller_sp, fp, caller);
  }

  bool PopStub(const CodeRange& stub, MachineContext* caller) const {
    if (where_ == FrameAt::kInterrupted) {
      switch (aarch64::FrameOfStub(CodeReader(stub), at_.pc)) {
        case aarch64::StubFrame::kNone:
          if (HasLink()) return Leave(link_, at_.sp, at_.fp, caller);
          break;
        case aarch64::StubFrame::kSenderSpSaved:
          if (HasLink() && IsSenderSp(SenderSp(), at_.sp))
            return Leave(link_, SenderSp(), at_.fp, caller);
          break;
        case aarch64::StubFrame::kRecordOnTop:
          return PopRecordOnTop(caller);
        case aarch64::StubFrame::kInFramePointer:
          return PopFrame(caller);
        case aarch64::StubFrame::kUnknown:
          break;
      }
      if (aarch64::IsReturn(CodeReader(stub), at_.pc) && HasLink())
        return Leave(link_, at_.sp, at_.fp, caller);
    }
    return ScanForCallOf(stub, caller) || PopFrame(caller);
  }

  // The method's frame is being built or has been removed. Which method it is, is unknown, so the
  // sample counts for the caller, as one at its call instruction would. Adapters make room for the
  // arguments between two frames: the end of the caller's frame is in a register at first, later in
  // the frame.
  bool PopInterpreted(const CodeRange& interpreter, MachineContext* caller) const {
    uintptr_t fp = 0;
    uintptr_t pc = 0;
    const bool fp_is_near = at_.fp > at_.sp && at_.fp - at_.sp <= kInterpreterFrameWords * kWord;
    // While x30 equals the stored value, nothing has been called from this frame, so it is the new
    // one.
    if (fp_is_near && stack_.Read(at_.fp, &fp) && stack_.Read(at_.fp + kWord, &pc) &&
        WithoutSignature(pc) == link_ && HasLink()) {
      uintptr_t sender_sp = 0;
      const auto words = static_cast<intptr_t>(view_.interpreter.sender_sp_words);
      stack_.Read(at_.fp + static_cast<uintptr_t>(words) * kWord, &sender_sp);
      if (!IsSenderSp(sender_sp, at_.fp + kWord)) sender_sp = SenderSp();
      return LeaveInterpreted(at_.fp + 2 * kWord, fp, sender_sp, caller);
    }
    if (!HasLink()) return false;
    // The caller's stack pointer is restored.
    if (aarch64::IsReturn(CodeReader(interpreter), at_.pc))
      return Leave(link_, at_.sp, at_.fp, caller);
    return LeaveInterpreted(at_.sp, at_.fp, SenderSp(), caller);
  }

  bool LeaveInterpreted(uintptr_t lowest, uintptr_t fp, uintptr_t sender_sp,
                        MachineContext* caller) const {
    const bool plausible = sender_sp == lowest || IsSenderSp(sender_sp, lowest);
    Leave(link_, plausible ? sender_sp : lowest, fp, caller);
    return plausible || view_.code.Find(link_)->kind == CodeKind::kInterpreter;
  }

  uintptr_t SenderSp() const {
    const int jdk = view_.interpreter.jdk_major;
    return jdk != 0 && jdk < kFirstJdkWithX19 ? at_.sender_sp_before_20 : at_.sender_sp;
  }

  // Follows the records of native frames to the generated code that called them. Without records,
  // uses the breadcrumb alone.
  bool LeaveNative(MachineContext* caller) const {
    uintptr_t fp = at_.fp;
    uintptr_t stored = 0;
    // A leaf without a record of its own. If it had one, x29 would point to that and not to its
    // caller's.
    const bool has_record = stack_.Read(fp + kWord, &stored) && WithoutSignature(stored) == link_;
    if (!has_record && LeaveNativeTo(link_, at_.sp, fp, caller)) return true;
    for (int i = 0; i < kNativeFrames; ++i) {
      uintptr_t outer = 0;
      uintptr_t pc = 0;
      if (!stack_.Read(fp, &outer) || !stack_.Read(fp + kWord, &pc)) break;
      pc = WithoutSignature(pc);
      if (view_.code.Find(pc) != nullptr) {
        if (LeaveNativeTo(pc, fp + 2 * kWord, outer, caller)) return true;
        break;
      }
      if (outer <= fp) break;
      fp = outer;
    }
    return FindBreadcrumb(at_.sp, 0, at_.fp, caller);
  }

  // `pc` in generated code has called native code, whose frames end at `end` or above.
  bool LeaveNativeTo(uintptr_t pc, uintptr_t end, uintptr_t fp, MachineContext* caller) const {
    const CodeRange* range = view_.code.Find(pc);
    if (range == nullptr || !CallsNative(*range, pc)) return false;
    if (range->kind == CodeKind::kCompiled) return FindBreadcrumb(end, pc, fp, caller);
    return Leave(pc, end, fp, caller);  // the other kinds are walked by x29
  }

  // Searches from `from` upwards for the breadcrumb with the return address `wanted`, or any for 0.
  bool FindBreadcrumb(uintptr_t from, uintptr_t wanted, uintptr_t fp,
                      MachineContext* caller) const {
    for (uintptr_t i = 0; i < kScanWords; ++i) {
      uintptr_t zero = 0;
      uintptr_t pc = 0;
      const uintptr_t slot = from + i * kWord;
      if (!stack_.Read(slot, &zero) || !stack_.Read(slot + kWord, &pc)) return false;
      if (zero != 0 || (wanted != 0 && pc != wanted)) continue;
      const CodeRange* range = view_.code.Find(pc);
      if (range == nullptr || range->kind != CodeKind::kCompiled) continue;
      if (CallsNative(*range, pc)) return Leave(pc, slot + 2 * kWord, fp, caller);
    }
    return false;
  }

  // Pops a frame by its frame pointer.
  bool PopFrame(MachineContext* caller) const {
    uintptr_t fp = 0;
    uintptr_t pc = 0;
    if (!stack_.Read(at_.fp, &fp) || !stack_.Read(at_.fp + kWord, &pc)) return false;
    return IsReturnAddress(WithoutSignature(pc)) && Leave(pc, at_.fp + 2 * kWord, fp, caller);
  }

  static bool Leave(uintptr_t pc, uintptr_t sp, uintptr_t fp, MachineContext* caller) {
    *caller = MachineContext{};
    caller->pc = WithoutSignature(pc);
    caller->sp = sp;
    caller->fp = fp;
    return true;
  }

  const uintptr_t link_;
};

class Arm final : public Processor {
 public:
  bool PopLeaf(const MachineContext& at, FrameAt where, const StackView& view,
               PoppedLeaf* popped) const noexcept override {
    *popped = PoppedLeaf{};
    return Popper(at, where, view).Pop(popped);
  }

  bool FindCallerOfStub(uintptr_t stub_pc, uintptr_t stack_pointer, const StackView& view,
                        MachineContext* caller) const noexcept override {
    const CodeRange* stub = view.code.Find(stub_pc);
    if (stub == nullptr) return false;
    MachineContext at;
    at.pc = stub_pc;
    at.sp = stack_pointer;
    const Popper popper(at, FrameAt::kCall, view);
    // The stub was reached by a jump, with the return address of the call that threw. It pushes
    // only the record.
    if (stub->kind == CodeKind::kUnwinder) return popper.PopRecordOnTop(caller);
    return stub->kind == CodeKind::kStub && popper.ScanForCallOf(*stub, caller);
  }

  uintptr_t InsideCall(uintptr_t return_address, const CodeLookup& code) const noexcept override {
    constexpr uintptr_t kCallBytes = 4;
    const CodeRange* range = code.Find(return_address);
    return range != nullptr && range->kind == CodeKind::kCompiled ? return_address - kCallBytes
                                                                  : return_address;
  }

  bool IsGuardedRead(const unsigned char* code) const noexcept override {
    constexpr uint32_t kRet = 0xd65f03c0;
    uint32_t words[3];
    std::memcpy(words, code, sizeof words);
    if ((words[0] & 0xbfffffe0U) != 0xb9400000U) return false;  // ldr r, [x0]
    return words[1] == kRet || words[2] == kRet;
  }
};

}  // namespace

const Processor& Aarch64() {
  static constexpr Arm processor;
  return processor;
}

}  // namespace iprof::sampling
