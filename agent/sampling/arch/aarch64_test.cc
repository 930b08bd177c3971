// aarch64: the callers that are found from synthetic registers, stacks and code.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <initializer_list>

#include "agent/sampling/arch/aarch64_words.h"
#include "agent/sampling/arch/fake_code.h"
#include "agent/sampling/arch/processor.h"

namespace iprof::sampling::aarch64 {
namespace {

void* Method(uintptr_t id) { return reinterpret_cast<void*>(id); }

// A miniature code cache and stack.
struct Machine {
  alignas(4096) std::array<uint32_t, 1024> code{};
  std::array<uintptr_t, 64> stack{};
  FakeCode ranges;
  InterpreterFacts interpreter_facts{-1, 21};

  uintptr_t At(size_t word) const { return reinterpret_cast<uintptr_t>(&code[word]); }
  uintptr_t caller() const { return At(0); }
  uintptr_t callee() const { return At(0x40); }
  uintptr_t stub() const { return At(0x80); }
  uintptr_t interpreter() const { return At(0xc0); }
  uintptr_t unwinder() const { return At(0x100); }
  uintptr_t return_address() const { return At(9); }  // of a call to callee
  uintptr_t stub_return() const { return At(17); }    // of a call to stub
  uintptr_t native_return() const { return At(30); }  // of a call to native code
  uintptr_t interpreter_native_return() const { return At(0xd4); }
  uintptr_t slot(size_t i) const { return reinterpret_cast<uintptr_t>(&stack[i]); }

  Machine() {
    code.fill(kAddition);
    Put(8, {Bl(static_cast<int64_t>(callee() - At(8)))});
    Put(16, {Bl(static_cast<int64_t>(stub() - At(16)))});
    Put(24, {kReturnAddressX9, kMov8, kMov8Second, kMov8Third, kBreadcrumb, kBlrX8});
    Put(0xd0, {kMov8, kMov8Second, kMov8Third, kBlrX8});
    Put(0x40, {kNop, kSub40, kStoreRecord30, kLoadGuard, kLoadDisarmed, kCompareGuard, kJumpEqual5,
               kMov8, kMov8Second, kMov8Third, kBlrX8, B(8), 0});
    Put(0x60, {kLoadRecord30, kAdd40, kLoadPoll, kComparePoll, kJumpPoll, kRet});
    static const PcBci bcis[] = {{0x30, 5}, {0x80, 9}};
    ranges.Add(caller(), 0x100, CodeKind::kCompiled, Method(8));
    ranges.Add(callee(), 0x100, CodeKind::kCompiled, Method(16), bcis);
    ranges.Add(stub(), 0x100, CodeKind::kStub);
    ranges.Add(interpreter(), 0x100, CodeKind::kInterpreter);
    ranges.Add(unwinder(), 0x100, CodeKind::kUnwinder);
  }
  void Put(size_t word, std::initializer_list<uint32_t> words) {
    std::copy(words.begin(), words.end(), code.begin() + static_cast<ptrdiff_t>(word));
  }
  StackView view() const { return {slot(0) + sizeof stack, ranges, interpreter_facts}; }
  bool Pop(const MachineContext& at, PoppedLeaf* popped,
           FrameAt where = FrameAt::kInterrupted) const {
    return Aarch64().PopLeaf(at, where, view(), popped);
  }
  bool FindCaller(uintptr_t stub_pc, uintptr_t sp, MachineContext* found) const {
    return Aarch64().FindCallerOfStub(stub_pc, sp, view(), found);
  }
};

TEST_CASE("aarch64: at a method's entry and exit the caller is in x30") {
  const Machine m;
  PoppedLeaf popped;
  // Word in the method, bytes of its frame there, bci.
  const struct {
    size_t word, frame_words;
    int32_t bci;
  } places[] = {{0, 0, 0},    {1, 0, 0},    {2, 8, 0},   {0x21, 8, 9},
                {0x22, 0, 9}, {0x24, 0, 9}, {0x25, 0, 9}};
  for (const auto& place : places) {
    CAPTURE(place.word);
    REQUIRE(m.Pop({m.callee() + place.word * 4, m.slot(3), 77, m.return_address()}, &popped));
    CHECK(popped.caller.pc == m.return_address());
    CHECK(popped.caller.sp == m.slot(3 + place.frame_words));
    CHECK(popped.caller.fp == 77);
    CHECK(popped.caller.link == 0);
    REQUIRE(popped.leaf != nullptr);
    CHECK(popped.leaf->method == Method(16));
    CHECK(popped.leaf->BciAt(popped.leaf_pc) == place.bci);
  }
}

TEST_CASE("aarch64: a signed return address is used without its signature") {
  const Machine m;
  PoppedLeaf popped;
  const uintptr_t is_signed = m.return_address() | uintptr_t{0x5a3} << 52;
  REQUIRE(m.Pop({m.callee(), m.slot(3), 77, is_signed}, &popped));
  CHECK(popped.caller.pc == m.return_address());
}

TEST_CASE("aarch64: in the check on entry the caller is on the stack, also when it calls") {
  Machine m;
  m.stack[9] = 66;
  m.stack[10] = m.return_address();
  PoppedLeaf popped;
  for (const uintptr_t word : {3U, 6U, 9U}) {
    CAPTURE(word);
    REQUIRE(m.Pop({m.callee() + word * 4, m.slot(3), 77, 0}, &popped));
    CHECK(popped.caller.pc == m.return_address());
    CHECK(popped.caller.sp == m.slot(11));
    CHECK(popped.caller.fp == 66);
    CHECK(popped.leaf != nullptr);
  }
  // After the call, x30 means nothing, even if it looks valid.
  REQUIRE(m.Pop({m.callee() + 11 * 4, m.slot(3), 77, m.return_address()}, &popped, FrameAt::kCall));
  CHECK(popped.caller.sp == m.slot(11));
}

TEST_CASE("aarch64: stubs without a frame leave the caller in x30, others in their record") {
  Machine m;
  PoppedLeaf popped;
  REQUIRE(m.Pop({m.stub() + 8, m.slot(3), 77, m.stub_return()}, &popped));
  CHECK(popped.caller.pc == m.stub_return());
  CHECK(popped.caller.sp == m.slot(3));
  CHECK(popped.leaf == nullptr);
  m.Put(0x80, {kPushRecord, kMovFpSp});
  m.stack[3] = 55;
  m.stack[4] = m.stub_return();
  REQUIRE(m.Pop({m.stub() + 4, m.slot(3), 77, 0}, &popped));
  CHECK(popped.caller.pc == m.stub_return());
  CHECK(popped.caller.sp == m.slot(5));
  CHECK(popped.caller.fp == 55);
  m.stack[20] = 44;
  m.stack[21] = m.stub_return();
  m.stack[4] = 0;
  REQUIRE(m.Pop({m.stub() + 0x20, m.slot(3), m.slot(20), 0}, &popped));
  CHECK(popped.caller.sp == m.slot(22));
  CHECK(popped.caller.fp == 44);
}

TEST_CASE("aarch64: an adapter has noted where the caller's frame ends") {
  Machine m;
  m.Put(0x80, {kMovX19Sp, kSub20});
  PoppedLeaf popped;
  MachineContext at{m.stub() + 0x10, m.slot(3), 77, m.return_address(), m.slot(7)};
  REQUIRE(m.Pop(at, &popped));
  CHECK(popped.caller.pc == m.return_address());
  CHECK(popped.caller.sp == m.slot(7));
  at.sender_sp = m.slot(2);
  CHECK_FALSE(m.Pop(at, &popped));
}

TEST_CASE("aarch64: the caller of a stub is the one whose call leads there") {
  Machine m;
  m.stack[3] = m.return_address();  // stale: from a call to something else
  m.stack[7] = 33;
  m.stack[8] = m.stub_return();
  MachineContext caller;
  REQUIRE(m.FindCaller(m.stub() + 8, m.slot(2), &caller));
  CHECK(caller.pc == m.stub_return());
  CHECK(caller.sp == m.slot(9));
  CHECK(caller.fp == 33);
  m.stack[8] = 0;
  CHECK_FALSE(m.FindCaller(m.stub() + 8, m.slot(2), &caller));
  CHECK_FALSE(m.FindCaller(m.callee(), m.slot(2), &caller));
}

TEST_CASE("aarch64: the stub that looks for a handler stands on the call that threw") {
  Machine m;
  m.stack[3] = 1234;
  m.stack[4] = m.return_address();
  MachineContext caller;
  REQUIRE(m.FindCaller(m.unwinder() + 8, m.slot(3), &caller));
  CHECK(caller.pc == m.return_address());
  CHECK(caller.sp == m.slot(5));
  CHECK(caller.fp == 1234);
  m.stack[4] = 0;
  CHECK_FALSE(m.FindCaller(m.unwinder() + 8, m.slot(3), &caller));
}

TEST_CASE("aarch64: native code is left to the method whose breadcrumb is on the stack") {
  Machine m;
  PoppedLeaf popped;
  m.stack[20] = 0;
  m.stack[21] = m.native_return();
  SECTION("a leaf without a frame") {
    REQUIRE(m.Pop({0x1000, m.slot(20), 77, m.native_return()}, &popped));
    CHECK(popped.caller.fp == 77);
  }
  SECTION("along the records") {
    m.stack[5] = m.slot(9);
    m.stack[6] = 0x2000;  // returns into native code
    m.stack[9] = 99;
    m.stack[10] = m.native_return();
    REQUIRE(m.Pop({0x1000, m.slot(2), m.slot(5), 0x3000}, &popped));
    CHECK(popped.caller.fp == 99);
  }
  SECTION("by the breadcrumb alone") {
    m.stack[6] = m.return_address();  // from a call to generated code: stale
    REQUIRE(m.Pop({0x1000, m.slot(2), 0, 0}, &popped));
  }
  CHECK(popped.caller.pc == m.native_return());
  CHECK(popped.caller.sp == m.slot(22));
  CHECK(popped.leaf == nullptr);
}

TEST_CASE("aarch64: without a breadcrumb the beginning of the method's frame is unknown") {
  Machine m;
  PoppedLeaf popped;
  m.stack[9] = 99;
  m.stack[10] = m.native_return();
  CHECK_FALSE(m.Pop({0x1000, m.slot(2), m.slot(9), 0}, &popped));
  CHECK_FALSE(m.Pop({0x1000, m.slot(2), 77, m.native_return()}, &popped));
  m.stack[5] = m.slot(5);  // a cycle must end
  m.stack[6] = 0x2000;
  CHECK_FALSE(m.Pop({0x1000, m.slot(2), m.slot(5), 0}, &popped));
}

TEST_CASE("aarch64: native code that the interpreter called is left along x29") {
  Machine m;
  PoppedLeaf popped;
  m.stack[9] = 99;
  m.stack[10] = m.interpreter_native_return();
  REQUIRE(m.Pop({0x1000, m.slot(2), m.slot(9), m.interpreter_native_return()}, &popped));
  CHECK(popped.caller.pc == m.interpreter_native_return());
  CHECK(popped.caller.fp == 99);
  CHECK(popped.caller.sp == m.slot(11));
}

TEST_CASE("aarch64: a call by the interpreter's rules: the caller's frame ends where x19 says") {
  Machine m;
  PoppedLeaf popped;
  MachineContext at{m.interpreter() + 4, m.slot(3), 77, m.return_address(), m.slot(7), m.slot(9)};
  REQUIRE(m.Pop(at, &popped));
  CHECK(popped.caller.pc == m.return_address());
  CHECK(popped.caller.sp == m.slot(7));
  CHECK(popped.caller.fp == 77);
  m.interpreter_facts.jdk_major = 17;
  REQUIRE(m.Pop(at, &popped));
  CHECK(popped.caller.sp == m.slot(9));
  at.sender_sp_before_20 = 5;  // implausible: no frame of a compiled caller is guessed
  CHECK_FALSE(m.Pop(at, &popped));
  at.link = m.interpreter() + 0x40;  // an interpreted caller is found by x29
  REQUIRE(m.Pop(at, &popped));
  CHECK(popped.caller.sp == m.slot(3));
}

TEST_CASE("aarch64: an interpreted frame that is being built notes where its caller's ends") {
  Machine m;
  PoppedLeaf popped;
  m.stack[12] = m.slot(18);
  m.stack[13] = 1234;
  m.stack[14] = m.return_address();
  const MachineContext at{m.interpreter() + 4, m.slot(3), m.slot(13), m.return_address(),
                          m.slot(16)};
  REQUIRE(m.Pop(at, &popped));
  CHECK(popped.caller.pc == m.return_address());
  CHECK(popped.caller.sp == m.slot(18));
  CHECK(popped.caller.fp == 1234);
  m.stack[12] = 0x5555;  // not stored yet
  REQUIRE(m.Pop(at, &popped));
  CHECK(popped.caller.sp == m.slot(16));
}

TEST_CASE("aarch64: where the interpreter returns, the caller's registers are back") {
  Machine m;
  m.Put(0xc8, {kRet});
  PoppedLeaf popped;
  REQUIRE(m.Pop({m.At(0xc8), m.slot(3), 77, m.return_address(), 0}, &popped));
  CHECK(popped.caller.sp == m.slot(3));
  CHECK(popped.caller.fp == 77);
}

TEST_CASE("aarch64: what is not a return address is not believed, and reads stay on the stack") {
  Machine m;
  PoppedLeaf popped;
  CHECK_FALSE(m.Pop({m.callee(), m.slot(3), 0, 0x1234}, &popped));
  CHECK_FALSE(m.Pop({m.callee(), m.slot(3), 0, m.caller() + 0x40}, &popped));  // no call before it
  CHECK_FALSE(m.Pop({m.callee(), m.slot(3), 0, 0}, &popped));
  CHECK_FALSE(m.Pop({m.callee() + 12, m.slot(60), 0, 0}, &popped));  // its record would be outside
  CHECK_FALSE(m.Pop({m.callee() + 12, UINTPTR_MAX - 7, 0, 0}, &popped));
  CHECK_FALSE(m.Pop({m.stub() + 8, m.slot(63) + 8, UINTPTR_MAX - 7, 0}, &popped));
  CHECK_FALSE(m.Pop({m.callee() + 0x34, m.slot(3), 0, m.return_address()}, &popped));  // the body
  CHECK_FALSE(m.Pop({m.callee(), m.slot(3), 0, m.return_address()}, &popped, FrameAt::kCall));
  CHECK_FALSE(m.Pop({0x1000, m.slot(3), 0, m.native_return()}, &popped, FrameAt::kCall));
}

TEST_CASE("aarch64: a compiled return address is moved to its call, others are not") {
  const Machine m;
  CHECK(Aarch64().InsideCall(m.return_address(), m.ranges) == m.return_address() - 4);
  CHECK(Aarch64().InsideCall(m.interpreter() + 4, m.ranges) == m.interpreter() + 4);
}

TEST_CASE("aarch64: HotSpot's guarded reads are known by their instructions") {
  const auto is = [](std::array<uint32_t, 3> code) {
    return Aarch64().IsGuardedRead(reinterpret_cast<const unsigned char*>(code.data()));
  };
  CHECK(is({0xb9400000, kRet, kMoveX0X1}));        // ldr w0, [x0]; ret; mov x0, x1
  CHECK(is({0xf9400000, kRet, kMoveX0X1}));        // ldr x0, [x0]
  CHECK(is({0xb9400001, kMoveX0X1, kRet}));        // ldr w1, [x0]; mov x0, x1; ret
  CHECK_FALSE(is({0xb9400000, kAddition, kNop}));  // continues after the load
  CHECK_FALSE(is({0xb9400020, kRet, kMoveX0X1}));  // ldr w0, [x1]
}

}  // namespace
}  // namespace iprof::sampling::aarch64
