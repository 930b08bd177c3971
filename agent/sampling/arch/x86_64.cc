// Runs inside the sampling signal handler: plain memory only.
//
// x86-64: a call pushes the return address, so it is the uppermost word of every frame. Compiled
// code uses rbp freely; interpreted frames and most of libjvm's frames have frame pointers.
#include "agent/sampling/arch/frame_popper.h"
#include "agent/sampling/arch/processor.h"
#include "agent/sampling/arch/x86_64_code.h"

namespace iprof::sampling {
namespace {

// The words that the interpreter pushes below the frame pointer before it runs a method.
constexpr uintptr_t kInterpreterFrameWords = 12;

class Popper final : FramePopper {
 public:
  Popper(const MachineContext& at, FrameAt where, const StackView& view)
      : FramePopper(at, where, view) {}

  bool Pop(PoppedLeaf* popped) const {
    const CodeRange* range = view_.code.Find(at_.pc);
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
      if (CallsStub(pc, stub)) return Leave(slot, pc, at_.fp, caller);
    }
    return false;
  }

  bool PopUnderTop(MachineContext* caller) const {
    return PopLayout(FrameLayout::OnStack(static_cast<int64_t>(kWord), 0), caller);
  }

 private:
  bool FollowsCall(const CodeReader& code, uintptr_t pc) const override {
    return x86_64::FollowsCall(code, pc);
  }
  uintptr_t CallTarget(const CodeReader& code, uintptr_t pc) const override {
    return x86_64::CallTarget(code, pc);
  }

  bool PopCompiled(const CodeRange& range, PoppedLeaf* popped) const {
    const CodeReader code(range);
    const FrameLayout layout = where_ == FrameAt::kInterrupted
                                   ? x86_64::LayoutAt(code, at_.pc)
                                   : x86_64::LayoutInEntryCall(code, at_.pc);
    if (layout.is_leaf) {
      popped->leaf = &range;
      popped->leaf_pc = at_.pc;
    }
    if (layout.is_known) return PopLayout(layout, &popped->caller);
    if (where_ != FrameAt::kInterrupted) return false;
    if (at_.pc - range.start < kEntryBytes)
      return PopTop(&popped->caller) || PopUnderTop(&popped->caller);
    // Intrinsics that need their own stack first save the old stack pointer.
    uintptr_t noted = 0;
    popped->leaf = nullptr;
    if (!stack_.Read(at_.sp, &noted) || noted != at_.sp + kWord) return false;
    return Leave(at_.sp, at_.pc, at_.fp, &popped->caller);
  }

  bool PopStub(const CodeRange& stub, MachineContext* caller) const {
    return PopTop(caller) || ScanForCallOf(stub, caller) || PopUnderTop(caller) || PopFrame(caller);
  }

  // The method's frame is being built. Which method it is, is unknown, so the sample counts for the
  // caller, as one at its call instruction would. Adapters make room for the arguments between two
  // frames: the end of the caller's frame is in a register at first, later in the frame.
  bool PopInterpreted(MachineContext* caller) const {
    uintptr_t pc = 0;
    if (stack_.Read(at_.sp, &pc) && IsReturnAddress(pc))
      return LeaveInterpreted(at_.sp, pc, at_.fp, at_.sender_sp, caller);
    uintptr_t fp = 0;
    if (at_.fp < at_.sp || at_.fp - at_.sp > kInterpreterFrameWords * kWord) return false;
    if (!stack_.Read(at_.fp, &fp) || !stack_.Read(at_.fp + kWord, &pc) || !IsReturnAddress(pc))
      return false;
    uintptr_t sender_sp = at_.sender_sp;
    const auto words = static_cast<intptr_t>(view_.interpreter.sender_sp_words);
    if (at_.fp > at_.sp) stack_.Read(at_.fp + static_cast<uintptr_t>(words) * kWord, &sender_sp);
    return LeaveInterpreted(at_.fp + kWord, pc, fp, sender_sp, caller);
  }

  bool LeaveInterpreted(uintptr_t slot, uintptr_t pc, uintptr_t fp, uintptr_t sender_sp,
                        MachineContext* caller) const {
    Leave(slot, pc, fp, caller);
    const bool plausible = IsSenderSp(sender_sp, slot);
    if (plausible) caller->sp = sender_sp;
    return plausible || view_.code.Find(pc)->kind == CodeKind::kInterpreter;
  }

  // Follows the frame pointers of native frames to the generated code that called them.
  bool LeaveNative(MachineContext* caller) const {
    uintptr_t fp = at_.fp;
    for (int i = 0; i < kNativeFrames; ++i) {
      uintptr_t outer = 0;
      uintptr_t pc = 0;
      if (!stack_.Read(fp, &outer) || !stack_.Read(fp + kWord, &pc)) return false;
      if (const CodeRange* range = view_.code.Find(pc)) {
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
      const CodeRange* range = view_.code.Find(pc);
      if (range != nullptr && CallsNative(*range, pc)) return Leave(slot, pc, at_.fp, caller);
    }
    return false;
  }

  bool PopTop(MachineContext* caller) const { return PopLayout(FrameLayout::OnStack(0), caller); }

  // Pops a frame by its frame pointer. The entry barrier leaves a word of ones below its own.
  bool PopFrame(MachineContext* caller) const {
    uintptr_t fp = 0;
    uintptr_t pc = 0;
    uintptr_t slot = at_.fp + kWord;
    if (!stack_.Read(at_.fp, &fp) || !stack_.Read(slot, &pc)) return false;
    if (pc == UINTPTR_MAX && !stack_.Read(slot += kWord, &pc)) return false;
    return IsReturnAddress(pc) && Leave(slot, pc, fp, caller);
  }

  bool PopLayout(const FrameLayout& layout, MachineContext* caller) const {
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
    *caller = MachineContext{};
    caller->pc = pc;
    caller->sp = slot + kWord;
    caller->fp = fp;
    return true;
  }
};

class X86 final : public Processor {
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
    // only the frame pointer.
    if (stub->kind == CodeKind::kUnwinder) return popper.PopUnderTop(caller);
    return stub->kind == CodeKind::kStub && popper.ScanForCallOf(*stub, caller);
  }

  uintptr_t InsideCall(uintptr_t return_address, const CodeLookup& code) const noexcept override {
    const CodeRange* range = code.Find(return_address);
    return range != nullptr && range->kind == CodeKind::kCompiled ? return_address - 1
                                                                  : return_address;
  }

  bool IsGuardedRead(const unsigned char* code) const noexcept override {
    if (code[0] == 0x48) ++code;  // a 64-bit load
    if (code[0] != 0x8b) return false;
    // mov (%rdi),%eax; ret; mov %esi,%eax   or   mov (%rdi),%rsi; mov %rsi,%rax; ret
    if (code[1] == 0x07)
      return code[2] == 0xc3 && (code[3] == 0x89 || (code[3] == 0x48 && code[4] == 0x89));
    if (code[1] != 0x37 || code[2] != 0x48) return false;
    return (code[3] == 0x8b && code[4] == 0xc6 && code[5] == 0xc3) ||
           (code[3] == 0x89 && code[4] == 0xf0 && code[5] == 0xc3);
  }
};

}  // namespace

const Processor& Amd64() {
  static constexpr X86 processor;
  return processor;
}

}  // namespace iprof::sampling
