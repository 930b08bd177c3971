
// x86-64: the callers that are found from synthetic registers, stacks and code.
#include <array>
#include <catch2/catch.hpp>
#include <initializer_list>

#include "agent/sampling/arch/fake_code.h"
#include "agent/sampling/arch/processor.h"

namespace iprof::sampling {
namespace {

void* Method(uintptr_t id) { return reinterpret_cast<void*>(id); }

// A miniature code cache and stack: a caller with a call in it, a callee, a stub.
struct Machine {
  alignas(4096) std::array<unsigned char, 4096> code{};
  std::array<uintptr_t, 64> stack{};
  FakeCode ranges;

  uintptr_t caller() const { return reinterpret_cast<uintptr_t>(code.data()); }
  uintptr_t callee() const { return caller() + 0x100; }
  uintptr_t stub() const { return caller() + 0x200; }
  uintptr_t interpreter() const { return caller() + 0x300; }
  uintptr_t return_address() const { return caller() + 0x25; }  // of a call to callee
  uintptr_t native_return() const { return caller() + 0x4d; }   // of a call to native code
  uintptr_t stub_return() const { return caller() + 0x65; }     // of a call to stub
  uintptr_t slot(size_t i) const { return reinterpret_cast<uintptr_t>(&stack[i]); }
  uintptr_t stack_end() const { return slot(0) + sizeof(stack); }

  Machine() {
    code.fill(0x90);
    Put(caller() + 0x20, {0xe8, 0xdb, 0, 0, 0});  // call callee
    Put(caller() + 0x40, {0x49, 0xba, 0, 0x20, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xd2});
    Put(caller() + 0x60, {0xe8, 0x9b, 1, 0, 0});  // call stub
    static const PcBci bcis[] = {{0x30, 5}, {0x50, 9}};
    ranges.Add(caller(), 0x80, CodeKind::kCompiled, Method(8), {});
    ranges.Add(callee(), 0x80, CodeKind::kCompiled, Method(16), bcis);
    ranges.Add(stub(), 0x40, CodeKind::kStub, nullptr, {});
    ranges.Add(interpreter(), 0x100, CodeKind::kInterpreter, nullptr, {});
  }
  void Put(uintptr_t at, std::initializer_list<int> bytes) {
    for (const int byte : bytes)
      *reinterpret_cast<unsigned char*>(at++) = static_cast<unsigned char>(byte);
  }
  bool Pop(const MachineContext& at, PoppedLeaf* popped,
           FrameAt where = FrameAt::kInterrupted) const {
    return Amd64().PopLeaf(at, where, view(), popped);
  }
  bool FindCaller(uintptr_t stub_pc, uintptr_t sp, MachineContext* caller) const {
    return Amd64().FindCallerOfStub(stub_pc, sp, view(), caller);
  }
  StackView view() const { return {stack_end(), ranges, {}}; }
};

TEST_CASE("at a method's entry the return address is on top of the stack") {
  Machine m;
  m.Put(m.callee(), {0x89, 0x84, 0x24, 0, 0xc0, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec, 0x10});
  m.stack[3] = m.return_address();
  PoppedLeaf popped;
  for (const uintptr_t offset : {0U, 7U}) {  // the stack bang, push rbp
    CAPTURE(offset);
    REQUIRE(m.Pop({m.callee() + offset, m.slot(3), 77, 0}, &popped));
    CHECK(popped.caller.pc == m.return_address());
    CHECK(popped.caller.sp == m.slot(4));
    CHECK(popped.caller.fp == 77);
    CHECK(popped.leaf != nullptr);
    CHECK(popped.leaf->method == Method(16));
    CHECK(popped.leaf->BciAt(popped.leaf_pc) == 0);
  }
}

TEST_CASE(
    "behind push rbp, and before pop rbp, the return address is under the saved frame pointer") {
  Machine m;
  m.Put(m.callee() + 7, {0x55, 0x48, 0x83, 0xec, 0x10});
  m.Put(m.callee() + 0x60, {0x5d, 0xc3});
  m.stack[3] = 1234;
  m.stack[4] = m.return_address();
  PoppedLeaf popped;
  REQUIRE(m.Pop({m.callee() + 8, m.slot(3), 77, 0}, &popped));
  CHECK(popped.caller.fp == 1234);
  CHECK(popped.caller.sp == m.slot(5));
  REQUIRE(m.Pop({m.callee() + 0x60, m.slot(3), 77, 0}, &popped));
  CHECK(popped.caller.pc == m.return_address());
  CHECK(popped.leaf->BciAt(popped.leaf_pc) == 9);
  REQUIRE(m.Pop({m.callee() + 0x61, m.slot(4), 77, 0}, &popped));
  CHECK(popped.caller.sp == m.slot(5));
}

TEST_CASE(
    "between allocating the frame and saving the frame pointer the return address is above it") {
  Machine m;
  m.Put(m.callee() + 7, {0x48, 0x89, 0x6c, 0x24, 0x30});              // mov [rsp+0x30], rbp
  m.Put(m.callee() + 0x50, {0x48, 0x89, 0xac, 0x24, 0x30, 0, 0, 0});  // the same with a long offset
  m.stack[10] = m.return_address();
  PoppedLeaf popped;
  for (const uintptr_t offset : {0x7U, 0x50U}) {
    CAPTURE(offset);
    REQUIRE(m.Pop({m.callee() + offset, m.slot(3), 77, 0}, &popped));
    CHECK(popped.caller.pc == m.return_address());
    CHECK(popped.caller.sp == m.slot(11));
    CHECK(popped.caller.fp == 77);
  }
}

TEST_CASE("native frames are left along their frame pointers, into code that calls native code") {
  Machine m;
  m.stack[5] = m.slot(9);
  m.stack[6] = 0x2000;  // returns into native code
  m.stack[9] = 99;
  m.stack[10] = m.native_return();
  PoppedLeaf popped;
  REQUIRE(m.Pop({0x1000, m.slot(2), m.slot(5), 0}, &popped));
  CHECK(popped.caller.pc == m.native_return());
  CHECK(popped.caller.sp == m.slot(11));
  CHECK(popped.caller.fp == 99);
  CHECK(popped.leaf == nullptr);
  // A frame pointer that native code has not changed is that of an outer frame.
  m.stack[10] = m.return_address();
  CHECK_FALSE(m.Pop({0x1000, m.slot(2), m.slot(5), 0}, &popped));
  m.stack[5] = m.slot(5);  // a cycle must end
  m.stack[10] = 0;
  CHECK_FALSE(m.Pop({0x1000, m.slot(2), m.slot(5), 0}, &popped));
}

TEST_CASE(
    "the check on entry calls native code through a stub, before the method's frame is whole") {
  Machine m;
  // push rbp; sub rsp, 0x10; cmp [r15+0x20], 1; je +5; call stub
  m.Put(m.callee() + 0x10, {0x55, 0x48, 0x83, 0xec, 0x10, 0x41, 0x81, 0x7f, 0x20, 1,
                            0,    0,    0,    0x74, 5,    0xe8, 0xdc, 0,    0,    0});
  const uintptr_t entry_return = m.callee() + 0x24;
  m.stack[3] = 0x7777;  // saved by the stub
  m.stack[4] = 55;      // its frame
  m.stack[5] = UINTPTR_MAX;
  m.stack[6] = entry_return;
  m.stack[9] = 66;  // the method's saved frame pointer
  m.stack[10] = m.return_address();
  PoppedLeaf popped;
  REQUIRE(m.Pop({m.stub() + 9, m.slot(3), m.slot(4), 0}, &popped, FrameAt::kCall));
  CHECK(popped.caller.pc == entry_return);
  CHECK(popped.caller.sp == m.slot(7));
  CHECK(popped.leaf == nullptr);
  const MachineContext in_method = popped.caller;
  REQUIRE(m.Pop(in_method, &popped, FrameAt::kCall));
  CHECK(popped.caller.pc == m.return_address());
  CHECK(popped.caller.sp == m.slot(11));
  CHECK(popped.caller.fp == 66);
  CHECK(popped.leaf != nullptr);
  CHECK(popped.leaf->method == Method(16));
}

TEST_CASE("the caller of a stub is the one whose call leads there") {
  Machine m;
  m.stack[3] = m.return_address();  // stale: from a call to something else
  m.stack[8] = m.stub_return();
  MachineContext caller;
  REQUIRE(m.FindCaller(m.stub() + 5, m.slot(2), &caller));
  CHECK(caller.pc == m.stub_return());
  CHECK(caller.sp == m.slot(9));
  m.stack[8] = 0;
  CHECK_FALSE(m.FindCaller(m.stub() + 5, m.slot(2), &caller));
  CHECK_FALSE(m.FindCaller(m.callee(), m.slot(2), &caller));
}

TEST_CASE("the stub that looks for a handler stands on the call that threw") {
  Machine m;
  const uintptr_t unwinder = m.caller() + 0x400;
  m.ranges.Add(unwinder, 0x40, CodeKind::kUnwinder, nullptr, {});
  m.stack[3] = 1234;
  m.stack[4] = m.return_address();
  MachineContext caller;
  REQUIRE(m.FindCaller(unwinder + 5, m.slot(3), &caller));
  CHECK(caller.pc == m.return_address());
  CHECK(caller.sp == m.slot(5));
  m.stack[4] = 0;
  m.stack[5] = m.return_address();
  CHECK_FALSE(m.FindCaller(unwinder + 5, m.slot(3), &caller));
}

TEST_CASE("a call by the interpreter's rules: the caller's frame ends where the register says") {
  Machine m;
  m.stack[3] = m.return_address();
  PoppedLeaf popped;
  REQUIRE(m.Pop({m.interpreter() + 5, m.slot(3), 77, 0, m.slot(7)}, &popped));
  CHECK(popped.caller.pc == m.return_address());
  CHECK(popped.caller.sp == m.slot(7));
  CHECK(popped.leaf == nullptr);
  // Without it, no compiled caller is found.
  CHECK_FALSE(m.Pop({m.interpreter() + 5, m.slot(3), 77, 0, 0}, &popped));
  CHECK_FALSE(m.Pop({m.interpreter() + 5, m.slot(3), 77, 0, m.slot(2)}, &popped));
  m.stack[3] = m.interpreter() + 0x40;
  REQUIRE(m.Pop({m.interpreter() + 5, m.slot(3), 77, 0, 0}, &popped));
  CHECK(popped.caller.sp == m.slot(4));
}

TEST_CASE("an interpreted frame that is being built notes where its caller's ends") {
  Machine m;
  m.stack[4] = 0;
  m.stack[5] = m.slot(12);
  m.stack[6] = 1234;
  m.stack[7] = m.return_address();
  PoppedLeaf popped;
  REQUIRE(m.Pop({m.interpreter() + 5, m.slot(4), m.slot(6), 0, 0x5555}, &popped));
  CHECK(popped.caller.pc == m.return_address());
  CHECK(popped.caller.sp == m.slot(12));
  CHECK(popped.caller.fp == 1234);
}

TEST_CASE("an intrinsic that has noted its stack pointer is put back to it") {
  Machine m;
  m.stack[3] = m.slot(4);
  PoppedLeaf popped;
  REQUIRE(m.Pop({m.callee() + 0x70, m.slot(3), 77, 0}, &popped));
  CHECK(popped.caller.pc == m.callee() + 0x70);
  CHECK(popped.caller.sp == m.slot(4));
  CHECK(popped.leaf == nullptr);
}

TEST_CASE("a compiled return address is moved into its call, others are not") {
  Machine m;
  CHECK(Amd64().InsideCall(m.return_address(), m.ranges) == m.return_address() - 1);
  CHECK(Amd64().InsideCall(m.interpreter() + 5, m.ranges) == m.interpreter() + 5);
}

TEST_CASE("a stub is popped and leaves no frame") {
  Machine m;
  m.stack[3] = m.return_address();
  PoppedLeaf popped;
  REQUIRE(m.Pop({m.stub() + 5, m.slot(3), 0, 0}, &popped));
  CHECK(popped.leaf == nullptr);
  CHECK(popped.caller.pc == m.return_address());
}

TEST_CASE("a stub with a frame of its own is popped through the frame pointer") {
  Machine m;
  m.stack[8] = 4321;
  m.stack[9] = m.return_address();
  PoppedLeaf popped;
  REQUIRE(m.Pop({m.stub() + 5, m.slot(3), m.slot(8), 0}, &popped));
  CHECK(popped.caller.fp == 4321);
  CHECK(popped.caller.sp == m.slot(10));
}

TEST_CASE("from native code the nearest caller of native code on the stack is taken") {
  Machine m;
  m.stack[3] = m.caller() + 0x10;   // known code, but no call before it: a stale value
  m.stack[4] = m.return_address();  // from a call to generated code: also stale
  m.stack[6] = m.native_return();
  PoppedLeaf popped;
  REQUIRE(m.Pop({0x1000, m.slot(2), 0, 0}, &popped));
  CHECK(popped.caller.sp == m.slot(7));
  CHECK(popped.leaf == nullptr);
}

TEST_CASE("what is not a return address is not believed, and reads stay on the stack") {
  Machine m;
  PoppedLeaf popped;
  m.stack[3] = 0x1234;
  CHECK_FALSE(m.Pop({m.callee(), m.slot(3), 0, 0}, &popped));
  m.stack[3] = m.caller() + 0x10;
  CHECK_FALSE(m.Pop({m.callee(), m.slot(3), 0, 0}, &popped));
  CHECK_FALSE(m.Pop({m.callee(), m.stack_end(), 0, 0}, &popped));
  CHECK_FALSE(m.Pop({m.callee(), m.stack_end() - 4, 0, 0}, &popped));
  CHECK_FALSE(m.Pop({m.callee(), UINTPTR_MAX - 7, 0, 0}, &popped));
  CHECK_FALSE(m.Pop({m.stub(), m.stack_end(), UINTPTR_MAX - 3, 0}, &popped));
}

TEST_CASE("in the middle of a compiled method nothing is popped") {
  Machine m;
  m.stack[3] = m.return_address();
  PoppedLeaf popped;
  CHECK_FALSE(m.Pop({m.callee() + 0x40, m.slot(3), 0, 0}, &popped));
}

TEST_CASE("HotSpot's guarded reads are known by their instructions") {
  const auto is = [](std::array<unsigned char, 12> code) {
    return Amd64().IsGuardedRead(code.data());
  };
  CHECK(is({0x8b, 0x07, 0xc3, 0x89, 0xf0, 0xc3}));  // mov (%rdi),%eax; ret; mov %esi,%eax
  CHECK(is({0x48, 0x8b, 0x07, 0xc3, 0x48, 0x89, 0xf0, 0xc3}));  // the same with 64 bits
  CHECK(is({0x48, 0x8b, 0x37, 0x48, 0x8b, 0xc6, 0xc3}));  // mov (%rdi),%rsi; mov %rsi,%rax; ret
  CHECK(is({0x48, 0x8b, 0x37, 0x48, 0x89, 0xf0, 0xc3}));
  CHECK_FALSE(is({0x8b, 0x07, 0x89, 0xf0, 0xc3}));                    // continues after the load
  CHECK_FALSE(is({0x48, 0x89, 0x07, 0xc3, 0x48, 0x89, 0xf0, 0xc3}));  // a store
}

}  // namespace
}  // namespace iprof::sampling
