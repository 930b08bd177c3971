// For this room's tests: aarch64 instructions as the assembler encodes them.
//
// Guarantees: constants only. Threads: any. Failure: none.
#pragma once

#include <cstdint>

namespace iprof::sampling::aarch64 {

constexpr uint32_t kNop = 0xd503201f;
constexpr uint32_t kRet = 0xd65f03c0;
constexpr uint32_t kBangAddress = 0xd14053e9;      // sub x9, sp, #0x14, lsl #12
constexpr uint32_t kBang = 0xf900013f;             // str xzr, [x9]
constexpr uint32_t kSub40 = 0xd10103ff;            // sub sp, sp, #0x40
constexpr uint32_t kStoreRecord30 = 0xa9037bfd;    // stp x29, x30, [sp, #0x30]
constexpr uint32_t kSetFp30 = 0x9100c3fd;          // add x29, sp, #0x30
constexpr uint32_t kPushRecord = 0xa9bf7bfd;       // stp x29, x30, [sp, #-16]!
constexpr uint32_t kMovFpSp = 0x910003fd;          // mov x29, sp
constexpr uint32_t kSub450 = 0xd11143ff;           // sub sp, sp, #0x450
constexpr uint32_t kMov8Low2340 = 0xd2846808;      // mov x8, #0x2340
constexpr uint32_t kMov8High1 = 0xf2a00028;        // movk x8, #1, lsl #16
constexpr uint32_t kSubX8 = 0xcb2863ff;            // sub sp, sp, x8
constexpr uint32_t kLoadRecord30 = 0xa9437bfd;     // ldp x29, x30, [sp, #0x30]
constexpr uint32_t kAdd40 = 0x910103ff;            // add sp, sp, #0x40
constexpr uint32_t kAddX8 = 0x8b2863ff;            // add sp, sp, x8
constexpr uint32_t kPopRecord = 0xa8c17bfd;        // ldp x29, x30, [sp], #16
constexpr uint32_t kLoadPoll = 0xf9422b88;         // ldr x8, [x28, #0x450]
constexpr uint32_t kComparePoll = 0xeb2863ff;      // cmp sp, x8
constexpr uint32_t kNotePoll = 0x10ffff88;         // adr x8, four instructions back
constexpr uint32_t kStorePoll = 0xf902a388;        // str x8, [x28, #0x540]
constexpr uint32_t kJumpPoll = 0x54000408;         // b.hi
constexpr uint32_t kLoadGuard = 0x18000208;        // ldr w8, guard
constexpr uint32_t kLoadDisarmed = 0xb9402389;     // ldr w9, [x28, #0x20]
constexpr uint32_t kFence = 0xd50339bf;            // dmb ishld
constexpr uint32_t kCompareGuard = 0x6b09011f;     // cmp w8, w9
constexpr uint32_t kJumpEqual5 = 0x540000a0;       // b.eq, over five instructions
constexpr uint32_t kJumpNotEqual = 0x54000201;     // b.ne
constexpr uint32_t kEpochPage = 0x90000009;        // adrp x9
constexpr uint32_t kEpochDependency = 0xaa488129;  // orr x9, x9, x8, lsr #32
constexpr uint32_t kLoadEpoch = 0xb9400129;        // ldr w9, [x9]
constexpr uint32_t kAddEpoch = 0xaa098108;         // orr x8, x8, x9, lsl #32
constexpr uint32_t kCompareEpoch = 0xeb09011f;     // cmp x8, x9
constexpr uint32_t kMov8 = 0xd2840008;             // mov x8, #0x2000
constexpr uint32_t kMov8Second = 0xf2a00068;       // movk x8, #3, lsl #16
constexpr uint32_t kMov8Third = 0xf2c00008;        // movk x8, #0, lsl #32
constexpr uint64_t kMovedToX8 = 0x32000;
constexpr uint32_t kBlrX8 = 0xd63f0100;
constexpr uint32_t kBrX8 = 0xd61f0100;
constexpr uint32_t kBreadcrumb = 0xa9bf27ff;       // stp xzr, x9, [sp, #-16]!
constexpr uint32_t kReturnAddressX9 = 0x100000c9;  // adr x9
constexpr uint32_t kIsb = 0xd5033fdf;
constexpr uint32_t kMov12 = 0xd282468c;       // mov x12, #0x1234
constexpr uint32_t kLoadTarget = 0x58000048;  // ldr x8, from the word after the next instruction
constexpr uint32_t kMovX19Sp = 0x910003f3;
constexpr uint32_t kSub20 = 0xd10083ff;      // sub sp, sp, #0x20
constexpr uint32_t kSignLink = 0xdac103be;   // pacia x30, x29
constexpr uint32_t kCheckLink = 0xdac113be;  // autia x30, x29
constexpr uint32_t kAdrp8 = 0x90000008;      // adrp x8, this page
constexpr uint32_t kAdd8 = 0x91048d08;       // add x8, x8, #0x123
constexpr uint32_t kAlignSp = 0x927cee9f;    // and sp, x20, #-16
constexpr uint32_t kAddition = 0x8b020020;   // add x0, x1, x2
constexpr uint32_t kMoveX0X1 = 0xaa0103e0;

constexpr uint32_t Branch(uint32_t opcode, int64_t bytes) {
  return opcode | (static_cast<uint32_t>(bytes / 4) & 0x3ffffffU);
}
constexpr uint32_t Bl(int64_t bytes) { return Branch(0x94000000U, bytes); }
constexpr uint32_t B(int64_t bytes) { return Branch(0x14000000U, bytes); }

}  // namespace iprof::sampling::aarch64
