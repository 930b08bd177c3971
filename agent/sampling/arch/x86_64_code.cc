// Runs inside the sampling signal handler: plain memory only.
#include "agent/sampling/arch/x86_64_code.h"

#include <initializer_list>

namespace iprof::sampling::x86_64 {
namespace {

constexpr int64_t kWord = 8;
constexpr FrameLayout kOnTop = FrameLayout::OnStack(0);
constexpr FrameLayout kUnderTop = FrameLayout::OnStack(kWord, 0);

int64_t SignedWord32(const CodeReader& code, uintptr_t at) {
  return static_cast<int32_t>(code.Word32(at));
}

// The length of a "cmp dword [r15+n], imm" that ends here, or 0. It is the entry barrier of the
// collectors.
uintptr_t EntryCheckBefore(const CodeReader& code, uintptr_t end) {
  const auto is = [&](uintptr_t length, int opcode, int modrm) {
    const uintptr_t at = end - length;
    return code.Byte(at) == 0x41 && code.Byte(at + 1) == opcode && code.Byte(at + 2) == modrm;
  };
  if (is(8, 0x81, 0x7f) || is(8, 0x83, 0xbf)) return 8;
  if (is(5, 0x83, 0x7f)) return 5;
  return is(11, 0x81, 0xbf) ? 11 : 0;
}

bool IsEntryCheck(const CodeReader& code, uintptr_t pc) {
  return code.Byte(pc) == 0x41 && (code.Byte(pc + 1) == 0x81 || code.Byte(pc + 1) == 0x83) &&
         (code.Byte(pc + 2) == 0x7f || code.Byte(pc + 2) == 0xbf);
}

// The length of a conditional jump on (in)equality, or 0.
uintptr_t JumpAt(const CodeReader& code, uintptr_t pc) {
  const int b0 = code.Byte(pc);
  if (b0 == 0x74 || b0 == 0x75) return 2;
  const int b1 = code.Byte(pc + 1);
  return b0 == 0x0f && (b1 == 0x84 || b1 == 0x85) ? 6 : 0;
}

// The frame, if the last instruction of the prologue ends here.
FrameLayout AllocatedRightBefore(const CodeReader& code, uintptr_t end) {
  // push rbp; [mov rbp, rsp;] sub rsp, n
  const auto pushed = [&](uintptr_t at) {
    return code.Byte(at - 1) == 0x55 || (code.Byte(at - 3) == 0x48 && code.Byte(at - 2) == 0x8b &&
                                         code.Byte(at - 1) == 0xec && code.Byte(at - 4) == 0x55);
  };
  const auto subtracts = [&](uintptr_t at, int opcode) {
    return code.Byte(at) == 0x48 && code.Byte(at + 1) == opcode && code.Byte(at + 2) == 0xec;
  };
  if (subtracts(end - 4, 0x83) && code.Byte(end - 1) < 0x80 && pushed(end - 4)) {
    const int64_t size = code.Byte(end - 1);
    return FrameLayout::OnStack(size + kWord, size);
  }
  if (subtracts(end - 7, 0x81) && pushed(end - 7)) {
    const int64_t size = SignedWord32(code, end - 4);
    return size < 0 ? FrameLayout{} : FrameLayout::OnStack(size + kWord, size);
  }
  // sub rsp, n; mov [rsp+n-8], rbp
  const auto saves = [&](uintptr_t at, int modrm) {
    return code.Byte(at) == 0x48 && code.Byte(at + 1) == 0x89 && code.Byte(at + 2) == modrm &&
           code.Byte(at + 3) == 0x24;
  };
  if (saves(end - 5, 0x6c) && code.Byte(end - 1) < 0x80) {
    const int64_t at = code.Byte(end - 1);
    return FrameLayout::OnStack(at + kWord, at);
  }
  if (saves(end - 8, 0xac)) {
    const int64_t at = SignedWord32(code, end - 4);
    return at < 0 ? FrameLayout{} : FrameLayout::OnStack(at + kWord, at);
  }
  return {};
}

// The same, but allows padding in between, which aligns the entry barrier.
FrameLayout AllocatedBefore(const CodeReader& code, uintptr_t end) {
  const FrameLayout layout = AllocatedRightBefore(code, end);
  if (layout.is_known) return layout;
  if (code.Byte(end - 1) == 0x90)
    return AllocatedRightBefore(code, end - (code.Byte(end - 2) == 0x66 ? 2 : 1));
  for (const uintptr_t length :
       {uintptr_t{3}, uintptr_t{4}, uintptr_t{5}, uintptr_t{7}, uintptr_t{8}})
    if (code.Byte(end - length) == 0x0f && code.Byte(end - length + 1) == 0x1f)
      return AllocatedRightBefore(code, end - length);
  return {};
}

// pc is in the entry barrier, which follows the prologue: at its comparison, at its jump, after
// that, or (in C1's and older code) at the call in between.
FrameLayout LayoutInEntryCheck(const CodeReader& code, uintptr_t pc) {
  if (IsEntryCheck(code, pc)) return AllocatedBefore(code, pc);
  uintptr_t jump_end = pc;
  if (const uintptr_t jump = JumpAt(code, pc); jump != 0) jump_end = pc + jump;
  for (const uintptr_t jump : {uintptr_t{2}, uintptr_t{6}}) {
    const uintptr_t at = jump_end - jump;
    if (JumpAt(code, at) != jump) continue;
    if (const uintptr_t check = EntryCheckBefore(code, at); check != 0)
      return AllocatedBefore(code, at - check);
  }
  return {};
}

// C2 puts the call of the entry barrier at the end of the method, followed by a jump back.
FrameLayout LayoutBehindJumpBack(const CodeReader& code, uintptr_t jump) {
  if (code.Byte(jump) == 0xe9)
    return LayoutInEntryCheck(code,
                              jump + 5 + static_cast<uintptr_t>(SignedWord32(code, jump + 1)));
  if (code.Byte(jump) == 0xeb) {
    const auto distance = static_cast<int8_t>(code.Byte(jump + 1));
    return LayoutInEntryCheck(code, jump + 2 + static_cast<uintptr_t>(int64_t{distance}));
  }
  return {};
}

// C2's prologue without a stack bang: sub rsp, n; mov [rsp+n-8], rbp. If pc is at the second
// instruction, returns its offset, otherwise -1.
int64_t SavedFramePointerOffset(const CodeReader& code, uintptr_t pc) {
  if (code.Byte(pc) != 0x48 || code.Byte(pc + 1) != 0x89 || code.Byte(pc + 3) != 0x24) return -1;
  if (code.Byte(pc + 2) == 0x6c && code.Byte(pc + 4) < 0x80) return code.Byte(pc + 4);
  return code.Byte(pc + 2) == 0xac ? int64_t{code.Word32(pc + 4) & 0x7fffffffU} : -1;
}

// mov rbx, method; jmp: how a compiled method calls one that is not compiled. The call to this code
// is done, but its target is not entered yet.
bool IsStaticCallStub(const CodeReader& code, uintptr_t pc) {
  const auto loads = [&](uintptr_t at) {
    return code.Byte(at) == 0x48 && code.Byte(at + 1) == 0xbb;
  };
  return (loads(pc) && code.Byte(pc + 10) == 0xe9) || (code.Byte(pc) == 0xe9 && loads(pc - 10));
}

}  // namespace

FrameLayout LayoutAt(const CodeReader& code, uintptr_t pc) {
  const int b0 = code.Byte(pc);
  const int b1 = code.Byte(pc + 1);
  const int b2 = code.Byte(pc + 2);
  const bool pushed = code.Byte(pc - 1) == 0x55;               // after push rbp
  if (b0 == 0xc3 || b0 == 0xc2) return kOnTop;                 // ret
  if (b0 == 0x5d) return kUnderTop;                            // pop rbp
  if (b0 == 0x55) return kOnTop;                               // push rbp
  if (b0 == 0x48 && (b1 == 0x83 || b1 == 0x81) && b2 == 0xec)  // sub rsp, n
    return pushed ? kUnderTop : kOnTop;
  if (const int64_t at = SavedFramePointerOffset(code, pc); at >= 0)  // mov [rsp+n], rbp
    return FrameLayout::OnStack(at + kWord);
  if (b0 == 0x48 && b1 == 0x8b && b2 == 0xec && pushed) return kUnderTop;     // mov rbp, rsp
  if (b0 == 0x49 && b1 == 0x3b && (b2 == 0xa7 || b2 == 0x67)) return kOnTop;  // return poll: cmp
  if (b0 == 0x0f && b1 == 0x87 && code.Byte(pc + 6) == 0xc3) return kOnTop;   // return poll: ja
  if (b0 == 0x85 && b1 == 0x05 && code.Byte(pc + 6) == 0xc3) return kOnTop;   // return poll: test
  if (b0 == 0x89 && b1 == 0x84 && b2 == 0x24) return kOnTop;  // stack bang: mov [rsp-n], eax
  if (IsStaticCallStub(code, pc)) {
    FrameLayout layout = kOnTop;
    layout.is_leaf = false;
    return layout;
  }
  if (const FrameLayout layout = AllocatedBefore(code, pc); layout.is_known) return layout;
  if (const FrameLayout layout = LayoutInEntryCheck(code, pc); layout.is_known) return layout;
  if (b0 == 0xe8) return LayoutBehindJumpBack(code, pc + 5);
  return {};
}

FrameLayout LayoutInEntryCall(const CodeReader& code, uintptr_t return_address) {
  if (code.Byte(return_address - 5) != 0xe8) return {};
  if (const FrameLayout layout = LayoutInEntryCheck(code, return_address - 5); layout.is_known)
    return layout;
  return LayoutBehindJumpBack(code, return_address);
}

bool FollowsCall(const CodeReader& code, uintptr_t at) {
  if (code.Byte(at - 5) == 0xe8) return true;  // call rel32
  if (code.Byte(at - 2) == 0xff && (code.Byte(at - 1) & 0x38) == 0x10)
    return true;  // call reg, [reg]
  if (code.Byte(at - 3) == 0xff && (code.Byte(at - 2) & 0xf8) == 0x50)
    return true;  // call [reg+disp8]
  return code.Byte(at - 6) == 0xff &&
         (code.Byte(at - 5) & 0x38) == 0x10;  // call [reg+disp32], [rip+disp32]
}

uintptr_t CallTarget(const CodeReader& code, uintptr_t at) {
  // mov r10, imm64; call r10
  if (code.Byte(at - 3) == 0x41 && code.Byte(at - 2) == 0xff && code.Byte(at - 1) == 0xd2 &&
      code.Byte(at - 13) == 0x49 && code.Byte(at - 12) == 0xba)
    return code.Word64(at - 11);
  // mov rax, imm64; call rax
  if (code.Byte(at - 2) == 0xff && code.Byte(at - 1) == 0xd0 && code.Byte(at - 12) == 0x48 &&
      code.Byte(at - 11) == 0xb8)
    return code.Word64(at - 10);
  if (code.Byte(at - 5) == 0xe8) return at + static_cast<uintptr_t>(SignedWord32(code, at - 4));
  return 0;
}

}  // namespace iprof::sampling::x86_64
