// The mutator of the fuzz targets: most of its results are still classes with code.
#include "java-tests/native/classfile/class_mutator.h"

#include <catch2/catch.hpp>
#include <map>

#include "agent/classfile/test_class.h"
#include "java-tests/native/classfile/fuzz_mutation.h"

namespace iprof::classfile {
namespace {

constexpr size_t kMost = 2000;

// A loop, a switch, a handler, and every table that the mutator knows.
TestClass Source() {
  TestClass c;
  c.descriptor = "(I)V";
  c.code = {
      0x1a,              // 0 iload_0
      0x99, 0,    14,    // 1 ifeq 15
      0x84, 0,    0xff,  // 4 iinc 0 -1
      0xb2, 0,    TestClass::kStaticField,
      0x58,              // 7 getstatic / 10 pop2
      0xa7, 0xff, 0xf5,  // 11 goto 0
      0,    0x1a,        // 14 nop / 15 iload_0
      0xaa, 0,    0,
      0,  // 16 tableswitch
      0,    0,    0,
      20,  // default 36
      0,    0,    0,
      1,  // low
      0,    0,    0,
      1,  // high
      0,    0,    0,
      21,  // 1: 37
      0xb1, 0xb1, 0x57,
      0xb1,  // 36 return / return / 38 pop / return
  };
  c.exceptions = {{4, 11, 38}};
  c.attributes = {{"StackMapTable", {0, 5, 0, 14, 20, 0, 64, 7, 0, TestClass::kSuper}},
                  {"LineNumberTable", {0, 2, 0, 0, 0, 7, 0, 15, 0, 8}},
                  {"LocalVariableTable", {0, 1, 0, 0, 0, 40, 0, 1, 0, 1, 0, 0}},
                  {"CharacterRangeTable", {0, 1, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1}}};
  return c;
}

Reason ReasonOf(const ByteVector& bytes, Workspace& memory) {
  memory.Reset();
  ClassFile file;
  Reason r = file.Parse(bytes, memory.class_memory);
  for (const MemberInfo& method : file.methods()) {
    MethodCode code;
    if (r == Reason::kOk && method.code_offset != 0) {
      r = code.Decode(file, method, memory.method_memory);
    }
  }
  return r;
}

bool Mutate(ByteVector& bytes, uint64_t seed) {
  RandomNumbers random(seed);
  return ClassMutator(random).Mutate(bytes, kMost);
}

TEST_CASE("the outline finds every table of a code") {
  const ByteVector bytes = Source().Bytes();
  ClassOutline outline;
  REQUIRE(outline.Read(bytes));
  std::map<TableKind, uint32_t> counts;
  for (const ElementTable& table : outline.tables()) counts[table.kind] += table.count();
  CHECK(counts[TableKind::kMethods] == 1);
  CHECK(counts[TableKind::kExceptions] == 1);
  CHECK(counts[TableKind::kFrames] == 5);
  CHECK(counts[TableKind::kLines] == 2);
  CHECK(counts[TableKind::kVariables] == 1);
  CHECK(counts[TableKind::kRanges] == 1);
  REQUIRE(outline.codes().size() == 1);
  CHECK(outline.codes()[0].boundaries ==
        std::vector<uint32_t>{0, 1, 4, 7, 10, 11, 14, 15, 16, 36, 37, 38, 39, 40});
}

TEST_CASE("mutants differ, keep to the size given, and are mostly classes with code") {
  const ByteVector source = Source().Bytes();
  Workspace memory;
  REQUIRE(ReasonOf(source, memory) == Reason::kOk);
  constexpr uint32_t kMutants = 4000;
  uint32_t changed = 0;
  uint32_t parsed = 0;
  uint32_t decoded = 0;
  for (uint32_t seed = 0; seed < kMutants; ++seed) {
    ByteVector bytes = source;
    if (!Mutate(bytes, seed)) continue;
    changed += bytes != source;
    REQUIRE(bytes.size() <= kMost);
    ClassOutline outline;
    parsed += outline.Read(bytes);
    decoded += ReasonOf(bytes, memory) == Reason::kOk;
  }
  CHECK(changed > kMutants * 9 / 10);
  CHECK(parsed > kMutants * 9 / 10);
  CHECK(decoded > kMutants / 2);
}

TEST_CASE("rows, frames, attributes and methods come and go, and are counted") {
  const ByteVector source = Source().Bytes();
  ClassOutline outline;
  REQUIRE(outline.Read(source));
  const auto counts = [&] {
    std::map<TableKind, uint32_t> found;
    for (const ElementTable& table : outline.tables()) found[table.kind] += table.count();
    return found;
  };
  const std::map<TableKind, uint32_t> before = counts();
  std::map<TableKind, bool> fewer;
  std::map<TableKind, bool> more;
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    ByteVector bytes = source;
    if (!Mutate(bytes, seed) || !outline.Read(bytes)) continue;
    for (const auto& [kind, count] : counts()) {
      fewer[kind] |= count < before.at(kind);
      more[kind] |= count > before.at(kind);
    }
  }
  for (const TableKind kind : {TableKind::kMethods, TableKind::kAttributes, TableKind::kExceptions,
                               TableKind::kLines, TableKind::kVariables, TableKind::kFrames}) {
    INFO(static_cast<int>(kind));
    CHECK(fewer[kind]);
    CHECK(more[kind]);
  }
}

TEST_CASE("mutants of mutants grow up to the size given") {
  Workspace memory;
  ByteVector bytes = Source().Bytes();
  size_t largest = 0;
  for (uint32_t seed = 0; seed < 5000; ++seed) {
    const ByteVector before = bytes;
    Mutate(bytes, seed);
    REQUIRE(bytes.size() <= kMost);
    largest = std::max(largest, bytes.size());
    if (ReasonOf(bytes, memory) != Reason::kOk) bytes = before;
  }
  CHECK(largest > kMost / 2);
}

TEST_CASE("the same seed gives the same mutant") {
  ByteVector one = Source().Bytes();
  ByteVector other = one;
  Mutate(one, 7);
  Mutate(other, 7);
  CHECK(one == other);
}

TEST_CASE("what is no class is left to other mutators") {
  static size_t asked = 0;
  const auto anyhow = [](uint8_t*, size_t size, size_t) {
    ++asked;
    return size;
  };
  uint8_t data[64] = {1, 2, 3};
  for (uint64_t seed = 0; seed < 100; ++seed) {
    CHECK(MutateChosenClass(data, 8, sizeof(data), 4, seed, anyhow) == 8);
  }
  CHECK(asked == 100);
}

}  // namespace
}  // namespace iprof::classfile
