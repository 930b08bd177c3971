// Runs inside the sampling signal handler: plain memory only.
#include "agent/sampling/frame_recovery.h"

#include <cstring>

namespace iprof::sampling {
namespace {

// How far up the stack to look for the compiled caller of a native leaf such as memcpy, in words.
constexpr uintptr_t kScanWords = 160;
// How many native frames (libjvm's have frame pointers) to walk out of.
constexpr int kNativeFrames = 64;
constexpr uintptr_t kWord = sizeof(uintptr_t);

class StackReader {
 public:
  StackReader(uintptr_t low, uintptr_t end) : low_(low), end_(end) {}
  bool Read(uintptr_t at, uintptr_t* value) const {
    if (at < low_ || at % kWord != 0 || end_ < kWord || at > end_ - kWord) return false;
    std::memcpy(value, reinterpret_cast<const void*>(at), sizeof(*value));
    return true;
  }

 private:
  uintptr_t low_;
  uintptr_t end_;
};

// Machine code of one range, read without leaving it.
class CodeReader {
 public:
  explicit CodeReader(const CodeRange& range) : range_(range) {}
  int Byte(uintptr_t at) const {
    return range_.Contains(at) ? *reinterpret_cast<const unsigned char*>(at) : -1;
  }
  uint32_t Word32(uintptr_t at) const {
    uint32_t word = 0;
    if (range_.Contains(at) && range_.end - at >= sizeof(word))
      std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof(word));
    return word;
  }

 private:
  const CodeRange& range_;
};

// Where the return address is.
enum class Linkage : uint8_t {
  kNone,
  kTop,  // on top of the stack (or in the link register): nothing pushed yet, or all popped again
  kUnderTop,  // under the saved frame pointer, which is on top
  kSaving,    // the frame is allocated, the instruction at pc saves the frame pointer just under it
  kFrame,     // under the saved frame pointer, which the frame pointer points at
};

#if defined(__x86_64__)

bool FollowsCall(const CodeReader& code, uintptr_t at) {
  if (code.Byte(at - 5) == 0xe8) return true;  // call rel32
  if (code.Byte(at - 2) == 0xff && (code.Byte(at - 1) & 0x38) == 0x10)
    return true;  // call reg, [reg]
  if (code.Byte(at - 3) == 0xff && (code.Byte(at - 2) & 0xf8) == 0x50)
    return true;  // call [reg+disp8]
  return code.Byte(at - 6) == 0xff &&
         (code.Byte(at - 5) & 0x38) == 0x10;  // call [reg+disp32], [rip+disp32]
}

// C2's prologue without a stack bang: sub rsp, n; mov [rsp+n-8], rbp. The offset in the second,
// when pc is at it; or -1.
int64_t SavedFramePointerOffset(const CodeReader& code, uintptr_t pc) {
  if (code.Byte(pc) != 0x48 || code.Byte(pc + 1) != 0x89 || code.Byte(pc + 3) != 0x24) return -1;
  if (code.Byte(pc + 2) == 0x6c && code.Byte(pc + 4) < 0x80) return code.Byte(pc + 4);
  return code.Byte(pc + 2) == 0xac ? int64_t{code.Word32(pc + 4) & 0x7fffffffU} : -1;
}

// What the instruction at pc says about a compiled method's frame.
Linkage LinkageOfCompiled(const CodeReader& code, uintptr_t pc) {
  const int b0 = code.Byte(pc);
  const int b1 = code.Byte(pc + 1);
  const int b2 = code.Byte(pc + 2);
  const bool pushed = code.Byte(pc - 1) == 0x55;               // after push rbp
  if (b0 == 0xc3 || b0 == 0xc2) return Linkage::kTop;          // ret
  if (b0 == 0x5d) return Linkage::kUnderTop;                   // pop rbp
  if (b0 == 0x55) return Linkage::kTop;                        // push rbp
  if (b0 == 0x48 && (b1 == 0x83 || b1 == 0x81) && b2 == 0xec)  // sub rsp, n
    return pushed ? Linkage::kUnderTop : Linkage::kTop;
  if (SavedFramePointerOffset(code, pc) >= 0) return Linkage::kSaving;  // mov [rsp+n], rbp
  if (b0 == 0x48 && b1 == 0x8b && b2 == 0xec && pushed) return Linkage::kUnderTop;  // mov rbp, rsp
  if (b0 == 0x49 && b1 == 0x3b && (b2 == 0xa7 || b2 == 0x67))
    return Linkage::kTop;  // return poll: cmp rsp, [r15+n]
  if (b0 == 0x0f && b1 == 0x87 && code.Byte(pc + 6) == 0xc3)
    return Linkage::kTop;  // return poll: ja; ret
  if (b0 == 0x85 && b1 == 0x05 && code.Byte(pc + 6) == 0xc3)
    return Linkage::kTop;  // return poll: test [rip+n]; ret
  if (b0 == 0x89 && b1 == 0x84 && b2 == 0x24) return Linkage::kTop;  // stack bang: mov [rsp-n], eax
  return Linkage::kNone;
}

#elif defined(__aarch64__)

bool FollowsCall(const CodeReader& code, uintptr_t at) {
  const uint32_t before = code.Word32(at - 4);
  return (before & 0xfc000000U) == 0x94000000U ||  // bl
         (before & 0xfffffc1fU) == 0xd63f0000U;    // blr
}

Linkage LinkageOfCompiled(const CodeReader& code, uintptr_t pc) {
  const uint32_t at = code.Word32(pc);
  if (at == 0xd65f03c0U) return Linkage::kTop;                  // ret
  if ((at & 0xff8003ffU) == 0xd10003ffU) return Linkage::kTop;  // sub sp, sp, n
  if ((at & 0xffc07fffU) == 0xa9807bfdU) return Linkage::kTop;  // stp x29, x30, [sp, -n]!
  return Linkage::kNone;
}

int64_t SavedFramePointerOffset(const CodeReader&, uintptr_t) { return -1; }

#else

int64_t SavedFramePointerOffset(const CodeReader&, uintptr_t) { return -1; }
bool FollowsCall(const CodeReader&, uintptr_t) { return false; }
Linkage LinkageOfCompiled(const CodeReader&, uintptr_t) { return Linkage::kNone; }

#endif

// A method's first instructions, where nothing is pushed yet whatever they are (receiver check,
// stack bang).
constexpr uintptr_t kEntryBytes = 48;

class Popper {
 public:
  Popper(const MachineContext& at, uintptr_t stack_end, const CodeRanges& code)
      : at_(at), stack_(at.sp, stack_end), code_(code) {}

  bool Pop(PoppedLeaf* popped) const {
    const CodeRange* range = code_.Find(at_.pc);
    if (range == nullptr) {
      return LeaveNative(&popped->caller) || Scan(&popped->caller);
    }
    if (range->kind == CodeKind::kStub) {
      return Try(Linkage::kTop, &popped->caller) || Try(Linkage::kUnderTop, &popped->caller) ||
             Try(Linkage::kFrame, &popped->caller) || Scan(&popped->caller);
    }
    popped->has_leaf = true;
    popped->leaf = {range->BciAt(at_.pc), range->method};
    const Linkage linkage = LinkageOfCompiled(CodeReader(*range), at_.pc);
    if (linkage != Linkage::kNone) return Try(linkage, &popped->caller);
    if (at_.pc - range->start < kEntryBytes) {
      return Try(Linkage::kTop, &popped->caller) || Try(Linkage::kUnderTop, &popped->caller);
    }
    return false;
  }

 private:
  // Along the frame pointers of native frames to the generated code that called them.
  bool LeaveNative(MachineContext* caller) const {
    uintptr_t fp = at_.fp;
    for (int i = 0; i < kNativeFrames; ++i) {
      uintptr_t outer = 0;
      uintptr_t pc = 0;
      if (!stack_.Read(fp, &outer) || !stack_.Read(fp + kWord, &pc)) return false;
      if (IsReturnAddress(pc)) {
        *caller = {pc, fp + 2 * kWord, outer, 0};
        return true;
      }
      if (outer <= fp) return false;
      fp = outer;
    }
    return false;
  }

  bool Try(Linkage linkage, MachineContext* caller) const {
    uintptr_t pc = 0;
    uintptr_t fp = at_.fp;
    uintptr_t sp = at_.sp;
    switch (linkage) {
      case Linkage::kNone:
        return false;
      case Linkage::kTop:
        if (at_.link != 0) {
          pc = at_.link;
        } else {
          if (!stack_.Read(sp, &pc)) return false;
          sp += kWord;
        }
        break;
      case Linkage::kUnderTop:
        if (!stack_.Read(sp, &fp) || !stack_.Read(sp + kWord, &pc)) return false;
        sp += 2 * kWord;
        break;
      case Linkage::kSaving: {
        const CodeRange* range = code_.Find(at_.pc);
        if (range == nullptr) return false;
        sp += static_cast<uintptr_t>(SavedFramePointerOffset(CodeReader(*range), at_.pc)) + kWord;
        if (!stack_.Read(sp, &pc)) return false;
        sp += kWord;
        break;
      }
      case Linkage::kFrame:
        if (!stack_.Read(at_.fp, &fp) || !stack_.Read(at_.fp + kWord, &pc)) return false;
        sp = at_.fp + 2 * kWord;
        break;
    }
    if (!IsReturnAddress(pc)) return false;
    *caller = {pc, sp, fp, 0};
    return true;
  }

  // Upwards to the first thing that is a compiled method's return address.
  bool Scan(MachineContext* caller) const {
    for (uintptr_t i = 0; i < kScanWords; ++i) {
      uintptr_t pc = 0;
      if (!stack_.Read(at_.sp + i * kWord, &pc)) return false;
      const CodeRange* range = code_.Find(pc);
      if (range == nullptr || range->kind != CodeKind::kCompiled) continue;
      if (!FollowsCall(CodeReader(*range), pc)) continue;
      *caller = {pc, at_.sp + (i + 1) * kWord, at_.fp, 0};
      return true;
    }
    return false;
  }

  bool IsReturnAddress(uintptr_t pc) const {
    const CodeRange* range = code_.Find(pc);
    if (range == nullptr) return false;
    // The interpreter jumps with a return address of its own making; compiled code calls.
    return range->kind == CodeKind::kStub || FollowsCall(CodeReader(*range), pc);
  }

  const MachineContext& at_;
  StackReader stack_;
  const CodeRanges& code_;
};

}  // namespace

bool PopLeaf(const MachineContext& at, uintptr_t stack_end, const CodeRanges& code,
             PoppedLeaf* popped) noexcept {
  if (!kCanReadContext) return false;
  *popped = PoppedLeaf{};
  return Popper(at, stack_end, code).Pop(popped);
}

}  // namespace iprof::sampling
