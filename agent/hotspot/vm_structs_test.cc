#include "agent/hotspot/vm_structs.h"

#include <catch2/catch.hpp>

#include "agent/hotspot/fake_structs.h"

namespace iprof::hotspot {
namespace {

TEST_CASE("the tables say where fields are, how large types are, and what constants mean") {
  const int64_t flag = 42;
  FakeStructs fake;
  fake.AddField("Klass", "_name", 24);
  fake.AddField("Klass", "_next_link", 80);
  fake.AddField("KlassX", "_name", 7);
  fake.AddStatic("JVMFlag", "flags", &flag);
  fake.AddType("Klass", 200);
  fake.AddInt("_thread_in_Java", 8);
  fake.AddLong("markWord::lock_mask", 3);
  const OwnMemory memory;
  const VmStructs structs(memory, fake.Symbols());

  CHECK(structs.OffsetOf("Klass", "_name") == 24);
  CHECK(structs.OffsetOf("Klass", "_next_link") == 80);
  CHECK(structs.OffsetOf("KlassX", "_name") == 7);
  CHECK(structs.SizeOf("Klass") == 200);
  CHECK(structs.IntConstant("_thread_in_Java") == 8);
  CHECK(structs.LongConstant("markWord::lock_mask") == 3);
  const auto at = structs.StaticField("JVMFlag", "flags");
  REQUIRE(at);
  CHECK(memory.Load<int64_t>(*at) == 42);
}

TEST_CASE("what the tables do not say is nothing") {
  FakeStructs fake;
  fake.AddField("Klass", "_name", 24);
  fake.AddStatic("Klass", "_count", &fake);
  const OwnMemory memory;
  const VmStructs structs(memory, fake.Symbols());
  CHECK_FALSE(structs.OffsetOf("Klass", "_nam"));
  CHECK_FALSE(structs.OffsetOf("Klass", "_names"));
  CHECK_FALSE(structs.OffsetOf("Klas", "_name"));
  CHECK_FALSE(structs.OffsetOf("Klass", "_count"));  // static
  CHECK_FALSE(structs.StaticField("Klass", "_name"));
  CHECK_FALSE(structs.SizeOf("Klass"));
  CHECK_FALSE(structs.IntConstant("Klass"));
  CHECK_FALSE(structs.LongConstant("Klass"));
}

TEST_CASE("a JVM that lacks one of the symbols has no tables at all") {
  FakeStructs fake;
  fake.AddField("Klass", "_name", 24);
  const SymbolOf symbols = fake.Symbols();
  fake.Hide("gHotSpotVMTypeEntrySizeOffset");
  const OwnMemory memory;
  const VmStructs structs(memory, symbols);
  CHECK_FALSE(structs.OffsetOf("Klass", "_name"));
}

}  // namespace
}  // namespace iprof::hotspot
