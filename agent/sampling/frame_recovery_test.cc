#include "agent/sampling/frame_recovery.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <initializer_list>

namespace iprof::sampling {
namespace {

#if defined(__x86_64__)

void* Method(uintptr_t id) { return reinterpret_cast<void*>(id); }

// A miniature code cache and stack: a caller with a call in it, a callee, a stub.
struct Machine {
  alignas(4096) std::array<unsigned char, 4096> code{};
  std::array<uintptr_t, 64> stack{};
  CodeRanges ranges{[] { return true; }};

  uintptr_t caller() const { return reinterpret_cast<uintptr_t>(code.data()); }
  uintptr_t callee() const { return caller() + 0x100; }
  uintptr_t stub() const { return caller() + 0x200; }
  uintptr_t return_address() const { return caller() + 0x25; }
  uintptr_t slot(size_t i) const { return reinterpret_cast<uintptr_t>(&stack[i]); }
  uintptr_t stack_end() const { return slot(0) + sizeof(stack); }

  Machine() {
    code.fill(0x90);
    Put(caller() + 0x20, {0xe8, 0xdb, 0, 0, 0});  // call callee
    static const PcBci bcis[] = {{0x30, 5}, {0x50, 9}};
    ranges.Add(caller(), 0x80, CodeKind::kCompiled, Method(8), {});
    ranges.Add(callee(), 0x80, CodeKind::kCompiled, Method(16), bcis);
    ranges.Add(stub(), 0x40, CodeKind::kStub, nullptr, {});
  }
  void Put(uintptr_t at, std::initializer_list<int> bytes) {
    for (const int byte : bytes)
      *reinterpret_cast<unsigned char*>(at++) = static_cast<unsigned char>(byte);
  }
  bool Pop(const MachineContext& at, PoppedLeaf* popped) const {
    return PopLeaf(at, stack_end(), ranges, popped);
  }
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
    CHECK(popped.has_leaf);
    CHECK(popped.leaf.method == Method(16));
    CHECK(popped.leaf.bci == 0);
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
  CHECK(popped.leaf.bci == 9);
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

TEST_CASE("native frames are left along their frame pointers") {
  Machine m;
  m.stack[5] = m.slot(9);
  m.stack[6] = 0x2000;  // returns into native code
  m.stack[9] = 99;
  m.stack[10] = m.return_address();
  PoppedLeaf popped;
  REQUIRE(PopLeaf({0x1000, m.slot(2), m.slot(5), 0}, m.stack_end(), m.ranges, &popped));
  CHECK(popped.caller.pc == m.return_address());
  CHECK(popped.caller.sp == m.slot(11));
  CHECK(popped.caller.fp == 99);
  m.stack[5] = m.slot(5);  // a circle ends
  m.stack[10] = 0;
  CHECK_FALSE(PopLeaf({0x1000, m.slot(2), m.slot(5), 0}, m.stack_end(), m.ranges, &popped));
}

TEST_CASE("a stub is popped and leaves no frame") {
  Machine m;
  m.stack[3] = m.return_address();
  PoppedLeaf popped;
  REQUIRE(m.Pop({m.stub() + 5, m.slot(3), 0, 0}, &popped));
  CHECK_FALSE(popped.has_leaf);
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

TEST_CASE("from native code the nearest compiled caller on the stack is taken") {
  Machine m;
  m.stack[3] = m.caller() + 0x10;  // known code, but no call before it: a stale value
  m.stack[6] = m.return_address();
  PoppedLeaf popped;
  REQUIRE(m.Pop({0x1000, m.slot(2), 0, 0}, &popped));
  CHECK(popped.caller.sp == m.slot(7));
  CHECK_FALSE(popped.has_leaf);
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

TEST_CASE("registers go through a copied context unharmed") {
  ucontext_t context{};
  WriteContext({1, 2, 3, 0}, &context);
  const MachineContext back = ReadContext(context);
  CHECK(back.pc == 1);
  CHECK(back.sp == 2);
  CHECK(back.fp == 3);
}

#endif

}  // namespace
}  // namespace iprof::sampling
