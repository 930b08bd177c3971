#include "agent/sampling/arch/x86_64_code.h"

#include <array>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <vector>

namespace iprof::sampling::x86_64 {
namespace {

// A method's machine code. In comments, "|" marks the program counter.
class Code {
 public:
  Code(std::initializer_list<int> before, std::initializer_list<int> after) {
    for (const int byte : before) bytes_.push_back(static_cast<unsigned char>(byte));
    pc_ = bytes_.size();
    for (const int byte : after) bytes_.push_back(static_cast<unsigned char>(byte));
    range_.start = reinterpret_cast<uintptr_t>(bytes_.data());
    range_.end = range_.start + bytes_.size();
  }
  FrameLayout At() const { return LayoutAt(CodeReader(range_), range_.start + pc_); }
  FrameLayout InCall() const { return LayoutInEntryCall(CodeReader(range_), range_.start + pc_); }
  uintptr_t Target() const { return CallTarget(CodeReader(range_), range_.start + pc_); }
  bool Called() const { return FollowsCall(CodeReader(range_), range_.start + pc_); }
  uintptr_t pc() const { return range_.start + pc_; }

 private:
  std::vector<unsigned char> bytes_;
  size_t pc_;
  CodeRange range_;
};

void CheckLayout(const FrameLayout& layout, int64_t return_at, int64_t fp_at) {
  CHECK(layout.is_known);
  CHECK(layout.return_at == return_at);
  CHECK(layout.fp_at == fp_at);
}

constexpr int64_t kInRegister = FrameLayout::kInRegister;

TEST_CASE("while nothing is pushed, or all is popped again, the return address is on top") {
  CheckLayout(Code({}, {0x55, 0x48, 0x83, 0xec, 0x10}).At(), 0, kInRegister);
  CheckLayout(Code({}, {0x89, 0x84, 0x24, 0, 0xc0, 0xfe, 0xff}).At(), 0, kInRegister);
  CheckLayout(Code({0x5d}, {0xc3}).At(), 0, kInRegister);
  CheckLayout(Code({0x5d}, {0x49, 0x3b, 0xa7, 0x50, 4, 0, 0}).At(), 0, kInRegister);
  CheckLayout(Code({}, {0x48, 0x83, 0xec, 0x18}).At(), 0, kInRegister);
}

TEST_CASE("around push and pop of the frame pointer it is under that") {
  CheckLayout(Code({0x55}, {0x48, 0x83, 0xec, 0x10}).At(), 8, 0);
  CheckLayout(Code({0x55}, {0x48, 0x8b, 0xec}).At(), 8, 0);
  CheckLayout(Code({0x48, 0x83, 0xc4, 0x10}, {0x5d, 0xc3}).At(), 8, 0);
}

TEST_CASE("where the prologue has ended its last instructions say how large the frame is") {
  // push rbp; sub rsp, 0x50 | cmp dword [r15+0x20], 1
  CheckLayout(Code({0x55, 0x48, 0x83, 0xec, 0x50}, {0x41, 0x81, 0x7f, 0x20, 1, 0, 0, 0}).At(), 0x58,
              0x50);
  // push rbp; mov rbp, rsp; sub rsp, 0x190 |
  CheckLayout(Code({0x55, 0x48, 0x8b, 0xec, 0x48, 0x81, 0xec, 0x90, 1, 0, 0}, {0x90}).At(), 0x198,
              0x190);
  // sub rsp, 0x18; mov [rsp+0x10], rbp | ; also with a long offset
  CheckLayout(Code({0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x6c, 0x24, 0x10}, {0x90}).At(), 0x18,
              0x10);
  CheckLayout(Code({0x48, 0x89, 0xac, 0x24, 0x30, 1, 0, 0}, {0x90}).At(), 0x138, 0x130);
  // ... | mov [rsp+0x10], rbp
  CheckLayout(Code({0x48, 0x83, 0xec, 0x18}, {0x48, 0x89, 0x6c, 0x24, 0x10}).At(), 0x18,
              kInRegister);
}

TEST_CASE("the check on entry belongs to the prologue, at each of its instructions") {
  const std::initializer_list<int> jump = {0x55, 0x48, 0x83, 0xec, 0x20, 0x41, 0x81,
                                           0x7f, 0x20, 1,    0,    0,    0};
  CheckLayout(Code(jump, {0x0f, 0x85, 0, 1, 0, 0}).At(), 0x28, 0x20);
  CheckLayout(Code(jump, {0x74, 5}).At(), 0x28, 0x20);
  // Padding before the barrier; the inline call: about to be made, and made.
  const std::initializer_list<int> call = {0x55, 0x48, 0x83, 0xec, 0x20, 0x90, 0x41, 0x81,
                                           0x7f, 0x20, 1,    0,    0,    0,    0x74, 5};
  CheckLayout(Code(call, {0xe8, 1, 2, 3, 4}).At(), 0x28, 0x20);
  const std::initializer_list<int> made = {0x55, 0x48, 0x83, 0xec, 0x20, 0x41, 0x81, 0x7f, 0x20, 1,
                                           0,    0,    0,    0x74, 5,    0xe8, 1,    2,    3,    4};
  CheckLayout(Code(made, {0x90}).InCall(), 0x28, 0x20);
  // The call at the method's end. A jump back to the code after the barrier follows it.
  const std::initializer_list<int> far = {0x55, 0x48, 0x83, 0xec, 0x20, 0x41, 0x81, 0x7f, 0x20,
                                          1,    0,    0,    0,    0x75, 9,    0x90, 0x90, 0x90,
                                          0x90, 0x90, 0xe8, 1,    2,    3,    4};
  CheckLayout(Code(far, {0xeb, 0xf4}).InCall(), 0x28, 0x20);
  CheckLayout(Code(far, {0xe9, 0xf1, 0xff, 0xff, 0xff}).InCall(), 0x28, 0x20);
}

TEST_CASE("a static call stub runs on behalf of the method that is called") {
  const FrameLayout layout = Code({0x48, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8}, {0xe9, 1, 2, 3, 4}).At();
  CheckLayout(layout, 0, kInRegister);
  CHECK_FALSE(layout.is_leaf);
}

TEST_CASE("what is not recognised has no layout") {
  CHECK_FALSE(Code({0x90, 0x90}, {0x48, 0x8b, 0xc1}).At().is_known);
  CHECK_FALSE(Code({}, {}).At().is_known);
  // A comparison and a jump, but no frame before them.
  CHECK_FALSE(Code({0x90, 0x90, 0x41, 0x81, 0x7f, 0x20, 1, 0, 0, 0}, {0x74, 5}).At().is_known);
  CHECK_FALSE(Code({0xe8, 1, 2, 3, 4}, {0x90}).InCall().is_known);
  CHECK_FALSE(Code({0xe8, 1, 2, 3, 4}, {0xe9, 0xf1, 0xff, 0xff, 0x7f}).InCall().is_known);
}

TEST_CASE("calls tell whom they call, where that is a constant") {
  const Code near({0xe8, 0x10, 0, 0, 0}, {0x90});
  CHECK(near.Called());
  CHECK(near.Target() == near.pc() + 0x10);
  const Code backwards({0xe8, 0xf0, 0xff, 0xff, 0xff}, {0x90});
  CHECK(backwards.Target() == backwards.pc() - 0x10);
  const Code far({0x49, 0xba, 8, 7, 6, 5, 4, 3, 2, 1, 0x41, 0xff, 0xd2}, {0x90});
  CHECK(far.Called());
  CHECK(far.Target() == 0x0102030405060708U);
  const Code rax({0x48, 0xb8, 8, 7, 6, 5, 4, 3, 2, 1, 0xff, 0xd0}, {0x90});
  CHECK(rax.Target() == 0x0102030405060708U);
  const Code unknown({0xff, 0x50, 0x10}, {0x90});  // call [rax+0x10]
  CHECK(unknown.Called());
  CHECK(unknown.Target() == 0);
  CHECK_FALSE(Code({0x90, 0x90, 0x90, 0x90, 0x90}, {0x90}).Called());
}

}  // namespace
}  // namespace iprof::sampling::x86_64
