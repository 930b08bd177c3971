// Runs inside the sampling signal handler: plain memory only.
#include "agent/sampling/arch/aarch64_code.h"

#include <optional>

namespace iprof::sampling::aarch64 {
namespace {

constexpr uintptr_t kInstruction = 4;
constexpr int64_t kRecord = 16;  // bytes of the x29, x30 pair
constexpr uint32_t kRet = 0xd65f03c0;
constexpr uint32_t kMovFpSp = 0x910003fd;         // mov x29, sp
constexpr uint32_t kPushRecord = 0xa9bf7bfd;      // stp x29, x30, [sp, #-16]!
constexpr uint32_t kPopRecord = 0xa8c17bfd;       // ldp x29, x30, [sp], #16
constexpr uint32_t kPushBreadcrumb = 0xa9bf27ff;  // stp xzr, x9, [sp, #-16]!
constexpr uint32_t kLoadTrampolineTarget =
    0x58000048;  // ldr x8, <the word after the next instruction>
constexpr uint32_t kBrX8 = 0xd61f0100;
// The longest entry barrier in instructions, with its prologue and call.
constexpr int kLongestCheck = 20;
// A method's first instructions: receiver check, alignment, stack bang.
constexpr uintptr_t kEntryBytes = 128;
// How many bytes of a stub are searched for its frame.
constexpr uintptr_t kStubBytes = 256;

constexpr uint32_t Bits(uint32_t word, unsigned low, unsigned count) {
  return word >> low & ((1U << count) - 1);
}

constexpr int64_t SignedBits(uint32_t word, unsigned low, unsigned count) {
  const uint32_t value = Bits(word, low, count);
  return int64_t{value} - (Bits(value, count - 1, 1) != 0 ? int64_t{1} << count : 0);
}

// The n of "add" or "sub sp, sp, #n".
std::optional<int64_t> SpImmediate(uint32_t word, uint32_t opcode) {
  if ((word & 0xff8003ffU) != opcode) return std::nullopt;
  const int64_t value = Bits(word, 10, 12);
  return Bits(word, 22, 1) != 0 ? value << 12 : value;
}
std::optional<int64_t> SubtractsFromSp(uint32_t word) { return SpImmediate(word, 0xd10003ffU); }
std::optional<int64_t> AddsToSp(uint32_t word) { return SpImmediate(word, 0x910003ffU); }
bool SubtractsRegisterFromSp(uint32_t word) { return (word & 0xffe0ffffU) == 0xcb2063ffU; }
bool AddsRegisterToSp(uint32_t word) { return (word & 0xffe0ffffU) == 0x8b2063ffU; }

// The n of "stp" or "ldp x29, x30, [sp, #n]".
std::optional<int64_t> RecordAt(uint32_t word, uint32_t opcode) {
  if ((word & 0xffc07fffU) != opcode) return std::nullopt;
  return SignedBits(word, 15, 7) * 8;
}
std::optional<int64_t> StoresRecord(uint32_t word) { return RecordAt(word, 0xa9007bfdU); }
std::optional<int64_t> LoadsRecord(uint32_t word) { return RecordAt(word, 0xa9407bfdU); }

// Whether the instruction writes the stack pointer, in any form that compilers use.
bool ChangesSp(uint32_t word) {
  const bool to_sp = Bits(word, 0, 5) == 31;
  if ((word & 0x3f000000U) == 0x11000000U && to_sp) return true;  // add, sub with an immediate
  if ((word & 0x3fe00000U) == 0x0b200000U && to_sp) return true;  // add, sub with a register
  if ((word & 0x1f800000U) == 0x12000000U && Bits(word, 29, 2) != 3 && to_sp)
    return true;  // and, orr, eor with an immediate
  const bool at_sp = Bits(word, 5, 5) == 31;
  if ((word & 0x3a000000U) == 0x28000000U && Bits(word, 23, 1) != 0 && at_sp)
    return true;  // a pair, with writeback
  // one register, with writeback
  return (word & 0x3b200000U) == 0x38000000U && Bits(word, 10, 1) != 0 && at_sp;
}

bool IsCall(uint32_t word) {
  return (word & 0xfc000000U) == 0x94000000U ||  // bl
         (word & 0xfffffc1fU) == 0xd63f0000U;    // blr
}
bool IsJump(uint32_t word) { return (word & 0xfc000000U) == 0x14000000U; }  // b
uintptr_t JumpTarget(uint32_t word, uintptr_t at) {
  return at + static_cast<uintptr_t>(SignedBits(word, 0, 26) * 4);
}

bool IsMove(uint32_t word) {  // movz, movk
  return (word & 0xff800000U) == 0xd2800000U || (word & 0xff800000U) == 0xf2800000U;
}
bool LoadsAddress(uint32_t word) {  // movz, movk; adr, adrp; add x, x, #n
  return IsMove(word) || (word & 0x1f000000U) == 0x10000000U ||
         ((word & 0xff800000U) == 0x91000000U && Bits(word, 0, 5) != 31);
}

// Instructions that occur between a complete frame and the method's body (entry barrier), or
// between a removed frame and the return (poll). None of them changes the stack pointer, x29 or
// x30.
bool IsCheckOrPoll(uint32_t word) {
  constexpr uint32_t kNop = 0xd503201f;
  if (word == kNop || word == kMovFpSp || LoadsAddress(word)) return true;
  if ((word & 0xbf000000U) == 0x18000000U) return true;  // ldr w, x from a literal
  if ((word & 0xbfc00000U) == 0xb9400000U) return true;  // ldr w, x
  if ((word & 0xfffff0ffU) == 0xd50330bfU) return true;  // dmb
  if ((word & 0x7f20001fU) == 0x6b00001fU) return true;  // cmp
  if ((word & 0x7fe0001fU) == 0x6b20001fU) return true;  // cmp sp, x
  if ((word & 0xff200000U) == 0xaa000000U) return true;  // orr
  if ((word & 0xff000010U) == 0x54000000U) return true;  // b.cond
  return (word & 0xffffc000U) == 0xdac10000U ||          // pacia and autia x30
         (word & 0xfffffd7fU) == 0xd503213fU;            // paciasp and autiasp
}

// The n of "mov x8, #n; sub sp, sp, x8", if its second instruction is at this address.
std::optional<int64_t> LoadedAmount(const CodeReader& code, uintptr_t at) {
  const uint32_t number = Bits(code.Word32(at), 16, 5);
  int64_t amount = 0;
  for (int i = 1; i <= 2; ++i) {
    const uint32_t word = code.Word32(at - static_cast<uintptr_t>(i) * kInstruction);
    if (!IsMove(word) || Bits(word, 0, 5) != number) return std::nullopt;
    amount |= int64_t{Bits(word, 5, 16)} << (16 * Bits(word, 21, 2));
    if ((word & 0x60000000U) == 0x40000000U) return amount;  // movz, the first one
  }
  return std::nullopt;
}

// The stack pointer has just been moved by `bytes`: either below a record that is stored already,
// or to make room for one.
FrameLayout Allocated(const CodeReader& code, uintptr_t at, int64_t bytes) {
  uintptr_t before = at - kInstruction;
  while (IsMove(code.Word32(before))) before -= kInstruction;
  if (code.Word32(before) == kMovFpSp) before -= kInstruction;
  if (code.Word32(before) == kPushRecord) return FrameLayout::OnStack(bytes + 8, bytes);
  return FrameLayout::InLink(bytes);
}

// The layout after this instruction, which is the last one before some address that affects the
// frame.
FrameLayout LayoutBehind(const CodeReader& code, uintptr_t at) {
  const uint32_t word = code.Word32(at);
  if (word == kPushRecord) return FrameLayout::OnStack(8, 0);
  if (word == kPopRecord) return FrameLayout::InLink();
  if (const auto record = StoresRecord(word); record && *record >= 0)
    return FrameLayout::OnStack(*record + 8, *record);
  if (const auto record = LoadsRecord(word); record && *record >= 0)
    return FrameLayout::InLink(*record + kRecord);
  if (const auto bytes = SubtractsFromSp(word)) return Allocated(code, at, *bytes);
  if (SubtractsRegisterFromSp(word)) {
    const auto bytes = LoadedAmount(code, at);
    return bytes ? Allocated(code, at, *bytes) : FrameLayout{};
  }
  if (AddsToSp(word))
    return LoadsRecord(code.Word32(at - kInstruction)) ? FrameLayout::InLink()
                                                       : FrameLayout::OnStack(8, 0);
  if (AddsRegisterToSp(word)) return FrameLayout::OnStack(8, 0);
  return {};
}

bool TouchesFrame(uint32_t word) {
  return ChangesSp(word) || StoresRecord(word) || LoadsRecord(word);
}

// Whether an instruction between the method's start and this address affects the frame.
bool TouchedBefore(const CodeReader& code, uintptr_t end) {
  for (uintptr_t at = code.start(); at < end; at += kInstruction)
    if (const uint32_t word = code.Word32(at); TouchesFrame(word) || IsCall(word)) return true;
  return false;
}

// Goes back from pc over a barrier or poll to the instruction that determines the frame.
FrameLayout LayoutBefore(const CodeReader& code, uintptr_t pc) {
  uintptr_t at = pc;
  for (int i = 0; i < kLongestCheck && at > code.start(); ++i) {
    at -= kInstruction;
    const uint32_t word = code.Word32(at);
    if (TouchesFrame(word)) return LayoutBehind(code, at);
    if (!IsCheckOrPoll(word)) break;
  }
  const bool on_entry = pc - code.start() <= kEntryBytes && !TouchedBefore(code, pc);
  return on_entry ? FrameLayout::InLink() : FrameLayout{};
}

// Whether pc is in the code that calls a method that is not compiled (mov x12, method; mov x8,
// target; br x8) or is far away (ldr x8, target; br x8). The call to this code is done, but its
// target is not entered yet.
bool IsCallStub(const CodeReader& code, uintptr_t pc) {
  const uint32_t here = code.Word32(pc);
  if (here == kLoadTrampolineTarget && code.Word32(pc + kInstruction) == kBrX8) return true;
  if (here == kBrX8 && code.Word32(pc - kInstruction) == kLoadTrampolineTarget) return true;
  constexpr uint32_t kIsb = 0xd5033fdf;
  constexpr int kMost = 7;
  const auto moves_to = [](uint32_t word, uint32_t number) {
    return IsMove(word) && Bits(word, 0, 5) == number;
  };
  const auto belongs = [&](uint32_t word) {
    return word == kIsb || moves_to(word, 8) || moves_to(word, 12);
  };
  uintptr_t last = pc;
  for (int i = 0; i < kMost && belongs(code.Word32(last)); ++i) last += kInstruction;
  if (code.Word32(last) != kBrX8) return false;
  for (int i = 1; i <= kMost; ++i) {
    const uint32_t word = code.Word32(last - static_cast<uintptr_t>(i) * kInstruction);
    if (moves_to(word, 12)) return true;
    if (!belongs(word)) return false;
  }
  return false;
}

// Whether pc is in the slow path of a return's poll, for safepoints (adr x8, poll; str x8,
// [thread]; b handler). The frame is removed, but the method has not returned.
bool IsSlowPoll(const CodeReader& code, uintptr_t pc) {
  constexpr int kInstructions = 3;
  for (int i = 0; i < kInstructions; ++i) {
    const uintptr_t at = pc - static_cast<uintptr_t>(i) * kInstruction;
    const uint32_t word = code.Word32(at);
    const bool notes = (word & 0x9f00001fU) == 0x10000008U &&
                       (code.Word32(at + kInstruction) & 0xffc003ffU) == 0xf9000388U;
    if (!notes) continue;
    const int64_t bytes = SignedBits(word, 5, 19) * 4 + Bits(word, 29, 2);
    // ldr x8, [thread]
    return (code.Word32(at + static_cast<uintptr_t>(bytes)) & 0xffc003ffU) == 0xf9400388U;
  }
  return false;
}

// C2 puts the call of the entry barrier at the end of the method: an address is loaded and called,
// then a jump leads back. If pc is in that code, returns the address of the jump, otherwise 0.
uintptr_t JumpBehindCall(const CodeReader& code, uintptr_t pc) {
  constexpr int kMostLoads = 4;
  uintptr_t at = pc;
  for (int i = 0; i < kMostLoads && LoadsAddress(code.Word32(at)); ++i) at += kInstruction;
  if (!IsCall(code.Word32(at))) return 0;
  at += kInstruction;
  return IsJump(code.Word32(at)) ? at : 0;
}

// Accepts only a jump back to where the frame is complete; other jumps may lead anywhere.
FrameLayout LayoutAtJumpTarget(const CodeReader& code, uintptr_t jump) {
  const FrameLayout layout = LayoutBefore(code, JumpTarget(code.Word32(jump), jump));
  return layout.return_at == FrameLayout::kInRegister ? FrameLayout{} : layout;
}

}  // namespace

FrameLayout LayoutAt(const CodeReader& code, uintptr_t pc) {
  if (IsReturn(code, pc) || IsSlowPoll(code, pc)) return FrameLayout::InLink();
  if (IsCallStub(code, pc)) {
    FrameLayout layout = FrameLayout::InLink();
    layout.is_leaf = false;
    return layout;
  }
  if (const FrameLayout layout = LayoutBefore(code, pc); layout.is_known) return layout;
  if (const uintptr_t jump = JumpBehindCall(code, pc); jump != 0)
    return LayoutAtJumpTarget(code, jump);
  return {};
}

FrameLayout LayoutInEntryCall(const CodeReader& code, uintptr_t return_address) {
  if (!FollowsCall(code, return_address)) return {};
  const FrameLayout in_line = LayoutBefore(code, return_address - kInstruction);
  if (in_line.is_known && in_line.return_at != FrameLayout::kInRegister) return in_line;
  return IsJump(code.Word32(return_address)) ? LayoutAtJumpTarget(code, return_address)
                                             : FrameLayout{};
}

bool FollowsCall(const CodeReader& code, uintptr_t at) {
  return IsCall(code.Word32(at - kInstruction));
}

uintptr_t CallTarget(const CodeReader& code, uintptr_t at) {
  uintptr_t call = at - kInstruction;
  const uint32_t word = code.Word32(call);
  if ((word & 0xfc000000U) == 0x94000000U) {  // bl
    const uintptr_t target = JumpTarget(word, call);
    const bool is_trampoline =
        code.Word32(target) == kLoadTrampolineTarget && code.Word32(target + kInstruction) == kBrX8;
    return is_trampoline ? code.Word64(target + 2 * kInstruction) : target;
  }
  if ((word & 0xfffffc1fU) != 0xd63f0000U) return 0;
  const uint32_t number = Bits(word, 5, 5);
  if (code.Word32(call - kInstruction) == kPushBreadcrumb) call -= kInstruction;
  const uint32_t second = code.Word32(call - kInstruction);
  const uint32_t first = code.Word32(call - 2 * kInstruction);
  // adrp x, page; add x, x, #n
  const bool adds = (second & 0xffc003ffU) == (0x91000000U | number << 5 | number);
  if (adds && (first & 0x9f00001fU) == (0x90000000U | number)) {
    const int64_t pages = SignedBits(first, 5, 19) * 4 + Bits(first, 29, 2);
    const uintptr_t base = (call - 2 * kInstruction) & ~uintptr_t{0xfff};
    return base + static_cast<uintptr_t>(pages * 4096) + Bits(second, 10, 12);
  }
  // mov x, #n; movk x, #n, lsl 16; movk x, #n, lsl 32
  uintptr_t target = 0;
  for (unsigned i = 0; i < 3; ++i) {
    const uint32_t move = code.Word32(call - (3 - i) * kInstruction);
    const uint32_t opcode = (i == 0 ? 0xd2800000U : 0xf2800000U) | i << 21 | number;
    if ((move & 0xffe0001fU) != opcode) return 0;
    target |= uintptr_t{Bits(move, 5, 16)} << (16 * i);
  }
  return target;
}

StubFrame FrameOfStub(const CodeReader& code, uintptr_t pc) {
  constexpr uint32_t kMovSenderSp = 0x910003f3;          // mov x19, sp
  constexpr uint32_t kMovSenderSpBefore20 = 0x910003ed;  // mov x13, sp
  const uintptr_t start = code.start();
  if (pc == start) return StubFrame::kNone;
  if (code.Word32(start) == kPushRecord) {
    if (pc == start + kInstruction) return StubFrame::kRecordOnTop;
    return code.Word32(start + kInstruction) == kMovFpSp ? StubFrame::kInFramePointer
                                                         : StubFrame::kUnknown;
  }
  if (pc - start > kStubBytes) return StubFrame::kUnknown;
  bool saved = false;
  for (uintptr_t at = start; at < pc; at += kInstruction) {
    const uint32_t word = code.Word32(at);
    saved = saved || word == kMovSenderSp || word == kMovSenderSpBefore20;
    if (IsCall(word)) return StubFrame::kUnknown;
    if (ChangesSp(word)) return saved ? StubFrame::kSenderSpSaved : StubFrame::kUnknown;
  }
  return StubFrame::kNone;
}

bool IsReturn(const CodeReader& code, uintptr_t pc) { return code.Word32(pc) == kRet; }

}  // namespace iprof::sampling::aarch64
