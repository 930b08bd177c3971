#include "agent/hotspot/frame_facts.h"

#include <catch2/catch.hpp>
#include <vector>

#include "agent/hotspot/fake_structs.h"

namespace iprof::hotspot {
namespace {

void AddAnchor(FakeStructs& fake) {
  fake.AddField("JavaThread", "_anchor", 600);
  fake.AddField("JavaFrameAnchor", "_last_Java_sp", 0);
  fake.AddField("JavaFrameAnchor", "_last_Java_pc", 8);
}

TEST_CASE("the last Java frame and the state are where the tables say") {
  FakeStructs fake;
  AddAnchor(fake);
  fake.AddField("JavaThread", "_thread_state", 1000);
  fake.AddInt("_thread_in_Java", 8);
  fake.AddInt("_thread_in_vm", 6);
  fake.AddField("JavaThread", "_stack_base", 840);
  fake.AddField("JavaThread", "_stack_size", 848);
  const OwnMemory memory;
  const VmStructs structs(memory, fake.Symbols());
  const auto offsets = ReadThreadOffsets(structs);
  REQUIRE(offsets);
  CHECK(offsets->last_java_sp == 600);
  CHECK(offsets->last_java_pc == 608);
  REQUIRE(offsets->state);
  CHECK(offsets->state->at == 1000);
  CHECK(offsets->state->in_java == 8);
  CHECK(offsets->state->in_vm == 6);
  REQUIRE(offsets->stack);
  CHECK(offsets->stack->base == 840);
  CHECK(offsets->stack->size == 848);
}

TEST_CASE("what the tables leave out is missing") {
  FakeStructs fake;
  const OwnMemory memory;
  SECTION("everything") {
    const VmStructs structs(memory, fake.Symbols());
    CHECK_FALSE(ReadThreadOffsets(structs));
    CHECK_FALSE(ReadSenderSpWords(structs));
    CHECK_FALSE(ReadMajorVersion(structs));
  }
  SECTION("the state and the stack") {
    AddAnchor(fake);
    const VmStructs structs(memory, fake.Symbols());
    const auto offsets = ReadThreadOffsets(structs);
    REQUIRE(offsets);
    CHECK_FALSE(offsets->state);
    CHECK_FALSE(offsets->stack);
  }
}

TEST_CASE("where a method's code is") {
  const OwnMemory memory;
  FakeStructs nothing;
  CHECK_FALSE(ReadCodeOffsets(VmStructs(memory, nothing.Symbols())));
  FakeStructs fake;
  fake.AddField("Method", "_constMethod", 8);
  fake.AddField("ConstMethod", "_code_size", 42);
  fake.AddType("ConstMethod", 56);
  const auto offsets = ReadCodeOffsets(VmStructs(memory, fake.Symbols()));
  REQUIRE(offsets);
  CHECK(offsets->code_in_method == 8);
  CHECK(offsets->size_in_code == 42);
  CHECK(offsets->bytes_in_code == 56);
}

TEST_CASE("calls in running code, also where the interpreter has replaced them") {
  std::vector<int> calls;
  for (int op = 0; op < 256; ++op) {
    if (IsRunningCall(static_cast<uint8_t>(op))) calls.push_back(op);
  }
  CHECK(calls == std::vector<int>{182, 183, 184, 185, 186, 202, 227, 233});
}

TEST_CASE("interpreted frames and the version") {
  FakeStructs fake;
  fake.AddInt("frame::interpreter_frame_sender_sp_offset", -1);
  const int32_t major = 25;
  fake.AddStatic("Abstract_VM_Version", "_vm_major_version", &major);
  const OwnMemory memory;
  const VmStructs structs(memory, fake.Symbols());
  CHECK(ReadSenderSpWords(structs) == -1);
  CHECK(ReadMajorVersion(structs) == 25);
}

}  // namespace
}  // namespace iprof::hotspot
