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

TEST_CASE("the fields of one type, also where others are listed between them") {
  const int64_t flag = 42;
  FakeStructs fake;
  fake.AddField("Klass", "_name", 24);
  fake.AddField("JVMFlag", "_name", 8);
  fake.AddField("Klass", "_other", 80);
  fake.AddStatic("JVMFlag", "flags", &flag);
  const OwnMemory memory;
  const VmStructs structs(memory, fake.Symbols());
  const VmStructs::Fields fields = structs.FieldsOf("JVMFlag");
  CHECK(fields.OffsetOf("_name") == 8);
  CHECK(fields.StaticField("flags").has_value());
  CHECK_FALSE(fields.OffsetOf("flags"));
  CHECK_FALSE(fields.OffsetOf("_other"));
  CHECK_FALSE(fields.OffsetOf(""));
  CHECK_FALSE(structs.FieldsOf("Nothing").OffsetOf("_name"));
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

// Fails reads of the first page, and counts all.
class WithoutFirstPage final : public Memory {
 public:
  bool Read(Address from, void* into, size_t size) const override {
    ++reads_;
    return from >= 4096 && OwnMemory().Read(from, into, size);
  }
  int reads() const { return reads_; }

 private:
  mutable int reads_ = 0;
};

TEST_CASE("a name that cannot be read ends a table, however long the rest is") {
  FakeStructs fake;
  fake.AddField("Klass", "_name", 24);
  for (uintptr_t i = 0; i < 10'000; ++i)
    fake.AddField(reinterpret_cast<const char*>(1 + i % 4000), "_name", 24);
  fake.AddField("Method", "_name", 24);
  const WithoutFirstPage memory;
  const VmStructs structs(memory, fake.Symbols());
  CHECK(structs.OffsetOf("Klass", "_name") == 24);
  const int before = memory.reads();
  CHECK_FALSE(structs.OffsetOf("Method", "_name"));
  CHECK(memory.reads() - before < 10);
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
