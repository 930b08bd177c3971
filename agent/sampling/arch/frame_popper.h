// FramePopper: what popping a frame has in common on all processors: bounded reads of the stack,
// and the check whether a word is a return address.
//
// Guarantees: reads whole words of the stack, from the stack pointer up to the view's end.
// Threads: any; async-signal-safe. Failure: reads and checks return false.
#pragma once

#include <cstdint>

#include "agent/sampling/arch/frame_layout.h"
#include "agent/sampling/arch/processor.h"

namespace iprof::sampling {

class StackReader {
 public:
  StackReader(uintptr_t low, uintptr_t end) : low_(low), end_(end) {}
  // Reads any word of the stack, of any variable, so AddressSanitizer must not check it.
  __attribute__((no_sanitize("address"))) bool Read(uintptr_t at, uintptr_t* value) const {
    constexpr uintptr_t kSize = sizeof(uintptr_t);
    if (at < low_ || at % kSize != 0 || end_ < kSize || at > end_ - kSize) return false;
    *value = *reinterpret_cast<const uintptr_t*>(at);
    return true;
  }

 private:
  uintptr_t low_;
  uintptr_t end_;
};

class FramePopper {
 protected:
  static constexpr uintptr_t kWord = sizeof(uintptr_t);
  // How many words up the stack to search for the caller of a stub or of a native leaf such as
  // memcpy. C1's stubs save every register, including vector registers.
  static constexpr uintptr_t kScanWords = 256;
  // How many native frames to walk (libjvm's have frame pointers).
  static constexpr int kNativeFrames = 64;
  // The first bytes of a method, where nothing is pushed yet (receiver check, stack bang).
  static constexpr uintptr_t kEntryBytes = 64;
  // A method has at most 255 words of arguments, which an adapter may put between two frames.
  static constexpr uintptr_t kArgumentWords = 264;

  FramePopper(const MachineContext& at, FrameAt where, const StackView& view)
      : at_(at), where_(where), view_(view), stack_(at.sp, view.end) {}
  ~FramePopper() = default;
  FramePopper(const FramePopper&) = delete;
  FramePopper& operator=(const FramePopper&) = delete;

  virtual bool FollowsCall(const CodeReader& code, uintptr_t pc) const = 0;
  virtual uintptr_t CallTarget(const CodeReader& code, uintptr_t pc) const = 0;

  bool IsReturnAddress(uintptr_t pc) const {
    const CodeRange* range = view_.code.Find(pc);
    if (range == nullptr) return false;
    // The interpreter jumps, with a return address that it made itself. Compiled code calls.
    return range->kind != CodeKind::kCompiled || FollowsCall(CodeReader(*range), pc);
  }

  // Whether generated code has just called something outside of generated code.
  bool CallsNative(const CodeRange& range, uintptr_t pc) const {
    const uintptr_t target = CallTarget(CodeReader(range), pc);
    return target != 0 && view_.code.Find(target) == nullptr;
  }

  // Whether a compiled method has just called this stub.
  bool CallsStub(uintptr_t pc, const CodeRange& stub) const {
    const CodeRange* range = view_.code.Find(pc);
    return range != nullptr && range->kind == CodeKind::kCompiled &&
           stub.Contains(CallTarget(CodeReader(*range), pc));
  }

  // Whether the frame of the interpreter's caller can end at sender_sp, seen from `slot`.
  static bool IsSenderSp(uintptr_t sender_sp, uintptr_t slot) {
    return sender_sp % kWord == 0 && sender_sp > slot && sender_sp - slot <= kArgumentWords * kWord;
  }

  const MachineContext& at_;
  const FrameAt where_;
  const StackView& view_;
  const StackReader stack_;
};

}  // namespace iprof::sampling
