// aarch64: what instructions say about frames, on code as HotSpot's compilers generate it.
#include "agent/sampling/arch/aarch64_code.h"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <utility>
#include <vector>

#include "agent/sampling/arch/aarch64_words.h"

namespace iprof::sampling::aarch64 {
namespace {

constexpr int64_t kInRegister = FrameLayout::kInRegister;

class Code {
 public:
  // A method with the program counter between the two parts.
  Code(std::vector<uint32_t> before, std::initializer_list<uint32_t> after)
      : words_(std::move(before)), pc_(words_.size()) {
    for (const uint32_t word : after) words_.push_back(word);
    range_.start = reinterpret_cast<uintptr_t>(words_.data());
    range_.end = range_.start + words_.size() * sizeof(uint32_t);
  }
  uintptr_t pc() const { return range_.start + pc_ * sizeof(uint32_t); }
  FrameLayout At() const { return LayoutAt(CodeReader(range_), pc()); }
  FrameLayout InCall() const { return LayoutInEntryCall(CodeReader(range_), pc()); }
  uintptr_t Target() const { return CallTarget(CodeReader(range_), pc()); }
  bool Called() const { return FollowsCall(CodeReader(range_), pc()); }
  StubFrame Stub() const { return FrameOfStub(CodeReader(range_), pc()); }

 private:
  std::vector<uint32_t> words_;
  size_t pc_;
  CodeRange range_;
};

void CheckInLink(const FrameLayout& layout, int64_t frame_bytes) {
  CHECK(layout.is_known);
  CHECK(layout.return_at == kInRegister);
  CHECK(layout.fp_at == kInRegister);
  CHECK(layout.frame_bytes == frame_bytes);
}
void CheckOnStack(const FrameLayout& layout, int64_t fp_at) {
  CHECK(layout.is_known);
  CHECK(layout.return_at == fp_at + 8);
  CHECK(layout.fp_at == fp_at);
  CHECK(layout.frame_bytes == fp_at + 16);
}

TEST_CASE("aarch64: before the frame is allocated the return address is in its register") {
  CheckInLink(Code({}, {kNop, kSub40, kStoreRecord30}).At(), 0);
  CheckInLink(Code({kNop}, {kBangAddress, kBang, kSub40}).At(), 0);
  CheckInLink(Code({kNop, kBangAddress, kBang}, {kSub40, kStoreRecord30}).At(), 0);
  CheckInLink(Code({kNop, kBangAddress, kBang}, {kPushRecord, kSub450}).At(), 0);
  // The receiver check before the verified entry jumps away if it fails.
  CheckInLink(Code({kLoadDisarmed, kCompareGuard, kJumpEqual5, B(0x400), kNop}, {kNop}).At(), 0);
  CheckInLink(Code({kLoadDisarmed, kCompareGuard, kJumpEqual5, B(0x400), kNop, kNop, kBangAddress},
                   {kBang, kSub40})
                  .At(),
              0);
}

TEST_CASE(
    "aarch64: between allocation and the store it is still there, the caller's frame higher") {
  CheckInLink(Code({kNop, kSub40}, {kStoreRecord30}).At(), 0x40);
  CheckInLink(Code({kNop, kSignLink, kSub40}, {kStoreRecord30}).At(), 0x40);
}

TEST_CASE("aarch64: once stored it is the frame's uppermost word") {
  CheckOnStack(Code({kSub40, kStoreRecord30}, {kSetFp30}).At(), 0x30);
  CheckOnStack(Code({kSub40, kStoreRecord30, kSetFp30}, {kLoadGuard}).At(), 0x30);
  // Large frames, and wrappers of native methods.
  CheckOnStack(Code({kNop, kPushRecord}, {kMovFpSp, kSub450}).At(), 0);
  CheckOnStack(Code({kNop, kPushRecord, kMovFpSp}, {kSub450}).At(), 0);
  CheckOnStack(Code({kNop, kPushRecord, kMovFpSp, kSub450}, {kLoadGuard}).At(), 0x450);
  CheckOnStack(Code({kNop, kPushRecord, kMov8Low2340, kMov8High1}, {kSubX8}).At(), 0);
  CheckOnStack(Code({kNop, kPushRecord, kMov8Low2340, kMov8High1, kSubX8}, {kNop}).At(), 0x12340);
}

TEST_CASE("aarch64: the check on entry belongs to the prologue, at each of its instructions") {
  const std::initializer_list<uint32_t> words[] = {
      {kSub40, kStoreRecord30, kLoadGuard, kLoadDisarmed, kCompareGuard, kJumpEqual5},
      {kSub40, kStoreRecord30, kLoadGuard, kFence, kLoadDisarmed, kCompareGuard, kJumpNotEqual},
      {kSub40, kStoreRecord30, kLoadGuard, kEpochPage, kEpochDependency, kLoadEpoch, kAddEpoch,
       kLoadPoll, kCompareEpoch, kJumpNotEqual}};
  for (const auto& all : words) {
    CheckOnStack(Code(all, {kMov8}).At(), 0x30);
    CheckOnStack(Code(all, {kAddition}).At(), 0x30);
  }
  // The inline call: about to be made, and made.
  CheckOnStack(Code({kSub40, kStoreRecord30, kLoadGuard, kLoadDisarmed, kCompareGuard, kJumpEqual5,
                     kMov8, kMov8Second, kMov8Third},
                    {kBlrX8, B(8), 0})
                   .At(),
               0x30);
  CheckOnStack(Code({kSub40, kStoreRecord30, kLoadGuard, kLoadDisarmed, kCompareGuard, kJumpEqual5,
                     kMov8, kMov8Second, kMov8Third, kBlrX8},
                    {B(8), 0})
                   .InCall(),
               0x30);
}

TEST_CASE("aarch64: C2 has the call at the method's end, with a jump back") {
  const std::initializer_list<uint32_t> method = {
      kSub40,    kStoreRecord30, kLoadGuard,  kLoadDisarmed, kCompareGuard, kJumpNotEqual,
      kAddition, kLoadRecord30,  kAdd40,      kLoadPoll,     kComparePoll,  kJumpPoll,
      kRet,      kMov8,          kMov8Second, kMov8Third,    kBlrX8};
  // From the word after the call to the instruction after b.ne.
  constexpr int64_t kBack = (6 - 17) * 4;
  CheckOnStack(Code(method, {B(kBack), 0}).InCall(), 0x30);
  CheckOnStack(Code({kSub40, kStoreRecord30, kLoadGuard, kLoadDisarmed, kCompareGuard,
                     kJumpNotEqual, kAddition, kRet},
                    {kMov8, kMov8Second, kMov8Third, kBlrX8, B((6 - 12) * 4)})
                   .At(),
               0x30);
  // A jump into the body does not count.
  CHECK_FALSE(Code(method, {B(kBack + 8), 0}).InCall().is_known);
}

TEST_CASE("aarch64: the epilogue, back to the return address in its register") {
  CheckInLink(Code({kAddition, kLoadRecord30}, {kAdd40, kRet}).At(), 0x40);
  CheckInLink(Code({kAddition, kLoadRecord30, kAdd40}, {kLoadPoll}).At(), 0);
  CheckInLink(Code({kAddition, kLoadRecord30, kAdd40, kLoadPoll}, {kComparePoll}).At(), 0);
  CheckInLink(Code({kAddition, kLoadRecord30, kAdd40, kLoadPoll, kComparePoll}, {kJumpPoll}).At(),
              0);
  CheckInLink(Code({kAddition, kLoadRecord30, kAdd40, kCheckLink}, {kLoadPoll}).At(), 0);
  CheckInLink(Code({kAddition}, {kRet}).At(), 0);
  // The slow path of the poll.
  const std::initializer_list<uint32_t> poll = {kLoadRecord30, kAdd40,    kLoadPoll,
                                                kComparePoll,  kJumpPoll, kRet};
  const auto slow = [&](std::initializer_list<uint32_t> more,
                        std::initializer_list<uint32_t> rest) {
    std::vector<uint32_t> before(poll);
    for (const uint32_t word : more) before.push_back(word);
    return Code(before, rest).At();
  };
  CheckInLink(slow({}, {kNotePoll, kStorePoll, B(0x4000)}), 0);
  CheckInLink(slow({kNotePoll}, {kStorePoll, B(0x4000)}), 0);
  CheckInLink(slow({kNotePoll, kStorePoll}, {B(0x4000), kAddition}), 0);
  CHECK_FALSE(slow({kNotePoll, kStorePoll, B(0x4000)}, {kAddition}).is_known);
  // does not belong to a poll
  CHECK_FALSE(slow({kAddition}, {kNotePoll, kStorePoll, B(0x4000)}).is_known);
  // Large frames.
  CheckOnStack(Code({kAddition, kAdd40}, {kPopRecord}).At(), 0);
  CheckOnStack(Code({kAddition, kMov8Low2340, kAddX8}, {kPopRecord}).At(), 0);
  CheckInLink(Code({kAddition, kAdd40, kPopRecord}, {kLoadPoll}).At(), 0);
}

TEST_CASE("aarch64: call stubs and trampolines run on behalf of the method that is called") {
  const auto check = [](const Code& code) {
    const FrameLayout layout = code.At();
    CheckInLink(layout, 0);
    CHECK_FALSE(layout.is_leaf);
  };
  check(Code({kRet}, {kIsb, kMov12, kMov8, kMov8Second, kMov8Third, kBrX8}));
  check(Code({kRet, kIsb, kMov12}, {kMov8, kMov8Second, kMov8Third, kBrX8}));
  check(Code({kRet, kIsb, kMov12, kMov8, kMov8Second, kMov8Third}, {kBrX8}));
  check(Code({kRet}, {kLoadTarget, kBrX8, 1, 2}));
  check(Code({kRet, kLoadTarget}, {kBrX8, 1, 2}));
  // A jump out of the method from within the frame does not count.
  CHECK_FALSE(Code({kSub40, kStoreRecord30, kAddition, kMov8, kMov8Second, kMov8Third}, {kBrX8})
                  .At()
                  .is_known);
}

TEST_CASE("aarch64: what is not recognised has no layout") {
  CHECK_FALSE(Code({kSub40, kStoreRecord30, kAddition}, {kAddition}).At().is_known);
  CHECK_FALSE(Code({kSub40, kStoreRecord30, kAlignSp}, {kNop}).At().is_known);
  CHECK_FALSE(Code({kNop, Bl(0x40)}, {kNop}).At().is_known);  // x30 belongs to the other call
  CHECK_FALSE(Code({kNop, kSubX8}, {kNop}).At().is_known);
  CHECK_FALSE(Code({}, {}).InCall().is_known);
  CHECK_FALSE(Code({kAddition, kBlrX8}, {kAddition}).InCall().is_known);
  CHECK_FALSE(Code({kAddition, kBlrX8}, {B(0x4000)}).InCall().is_known);
}

TEST_CASE("aarch64: calls tell whom they call, where that is a constant") {
  const Code near({Bl(0x100)}, {kNop});
  CHECK(near.Called());
  CHECK(near.Target() == near.pc() - 4 + 0x100);
  const Code backwards({kNop, Bl(-0x100)}, {kNop});
  CHECK(backwards.Target() == backwards.pc() - 4 - 0x100);
  const Code moved({kMov8, kMov8Second, kMov8Third, kBlrX8}, {kNop});
  CHECK(moved.Called());
  CHECK(moved.Target() == kMovedToX8);
  const Code native({kReturnAddressX9, kMov8, kMov8Second, kMov8Third, kBreadcrumb, kBlrX8},
                    {kNop});
  CHECK(native.Target() == kMovedToX8);
  const Code page({kAdrp8, kAdd8, kBlrX8}, {kNop});
  CHECK(page.Target() == ((page.pc() - 12) & ~uintptr_t{0xfff}) + 0x123);
  const Code trampoline({Bl(8)}, {kNop, kLoadTarget, kBrX8, 0x89abcdef, 0x1234});
  CHECK(trampoline.Target() == 0x123489abcdefU);
  const Code unknown({kAddition, kAddition, kAddition, kBlrX8}, {kNop});
  CHECK(unknown.Called());
  CHECK(unknown.Target() == 0);
  CHECK_FALSE(Code({kAddition}, {kNop}).Called());
  CHECK_FALSE(Code({}, {kNop}).Called());
}

TEST_CASE("aarch64: a stub's first instructions tell what it does with the stack") {
  CHECK(Code({}, {kPushRecord, kMovFpSp}).Stub() == StubFrame::kNone);
  CHECK(Code({kAddition, kCompareGuard}, {kRet}).Stub() == StubFrame::kNone);
  CHECK(Code({kPushRecord}, {kMovFpSp}).Stub() == StubFrame::kRecordOnTop);
  CHECK(Code({kPushRecord, kMovFpSp}, {kSub450}).Stub() == StubFrame::kInFramePointer);
  CHECK(Code({kPushRecord, kAddition}, {kSub450}).Stub() == StubFrame::kUnknown);
  CHECK(Code({kMovX19Sp, kAddition, kSub20}, {kNop}).Stub() == StubFrame::kSenderSpSaved);
  CHECK(Code({kAddition, kSub20}, {kNop}).Stub() == StubFrame::kUnknown);
  CHECK(Code({kAddition, Bl(4)}, {kNop}).Stub() == StubFrame::kUnknown);
}

}  // namespace
}  // namespace iprof::sampling::aarch64
