// What is added to java.lang.Object, and how other classes name it.
#include "agent/instrument/probes/inherited_members.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "agent/classfile/code.h"
#include "agent/classfile/testing/assembled_class.h"

namespace iprof::instrument {
namespace {

using classfile::Arena;
using classfile::ByteSpan;
using classfile::ClassFile;
using classfile::CpIndex;
using classfile::Op;
using classfile::PoolAdditions;
using classfile::Reason;

std::vector<uint8_t> ObjectClass() {
  return AssembledClass("java/lang/Object", "")
      .Add({.access = 0x0001, .name = "hashCode", .descriptor = "()I"})
      .Bytes();
}

TEST_CASE("Object gets a field for each of the first chunks, and methods for all") {
  const std::vector<uint8_t> bytes = ObjectClass();
  Arena arena;
  ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
  ByteSpan result;
  const bool striped = GENERATE(false, true);
  REQUIRE(AddInheritedMembers(file, "java/lang/Runtime9", striped, arena, &result) == Reason::kOk);

  ClassFile after;
  REQUIRE(after.Parse(result, arena) == Reason::kOk);
  REQUIRE(after.fields().size() == kInheritedFields);
  for (uint32_t chunk = 0; chunk < kInheritedFields; ++chunk) {
    CHECK(after.NameOf(after.fields()[chunk]) == InheritedFieldName(chunk));
    CHECK(after.fields()[chunk].access == 0x1019);  // public static final synthetic
  }
  REQUIRE(after.methods().size() == 1 + std::size(kInheritedMethods));
  CHECK(after.NameOf(after.methods()[0]) == "hashCode");
  std::string called;
  for (size_t m = 1; m <= std::size(kInheritedMethods); ++m) {
    classfile::MethodCode code;
    REQUIRE(code.Decode(after, after.methods()[m], arena) == Reason::kOk);
    CHECK(after.methods()[m].access == 0x1009);
    // C1 inlines no method with so many locals.
    const bool counts = after.NameOf(after.methods()[m]).find("count") != std::string_view::npos;
    CHECK((code.max_locals() > 10) == (striped && counts));
    const auto member = code.Member(code.count() - 2);
    REQUIRE(member.has_value());
    called += std::string(after.NameOf(after.methods()[m])) + " -> " +
              std::string(after.pool().ClassName(member->owner)) + "." + std::string(member->name) +
              std::string(member->descriptor) + "\n";
  }
  CHECK(called ==
        kInheritedRow.Name() + " -> java/lang/Runtime9.row(I)[J\n" + kInheritedHit.Name() +
            " -> java/lang/Runtime9.hit(Ljava/lang/Object;II)V\n" + kInheritedMeet.Name() +
            " -> java/lang/Runtime9.meet(Ljava/lang/Object;II)V\n" + kInheritedCount.Name() +
            " -> java/lang/Runtime9.count(I)V\n" + kInheritedCountKey.Name() +
            " -> java/lang/Runtime9.countKey(IIII)V\n" + kInheritedObject.Name() +
            " -> java/lang/Runtime9.object(Ljava/lang/Object;I)V\n" + kInheritedObjects.Name() +
            " -> java/lang/Runtime9.objects(Ljava/lang/Object;Ljava/lang/Object;I)V\n" +
            kInheritedNumber.Name() + " -> java/lang/Runtime9.number(II)V\n" +
            kInheritedNumbers.Name() + " -> java/lang/Runtime9.numbers(III)V\n");
}

// "a/T.NAME:[J field": owner, name, type and kind of the constant.
std::string Named(uint16_t access, bool method) {
  const std::vector<uint8_t> bytes = AssembledClass("a/T", "java/lang/Object", access).Bytes();
  Arena arena;
  ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
  PoolAdditions pool(file.pool(), arena);
  const CpIndex index =
      method ? InheritedMethodRef(file, kInheritedHit, pool) : InheritedField(file, 3, pool);
  // Writes the constants as a class file has them.
  const size_t end = file.pool().end_offset();
  std::vector<uint8_t> extended(end + pool.byte_size());
  std::copy_n(bytes.begin(), end, extended.begin());
  classfile::StoreU2(extended.data() + 8, pool.pool_count());
  pool.Write(extended.data() + end);
  classfile::ConstantPool read;
  REQUIRE(read.Parse(extended, arena) == Reason::kOk);
  const auto member = read.Member(index);
  REQUIRE(member.has_value());
  // It must use the class's own constant, which is already resolved, and not a new one with the
  // same name.
  CHECK((member->owner == file.this_class() || member->owner == file.super_class()));
  return std::string(read.ClassName(member->owner)) + "." + std::string(member->name) + ":" +
         std::string(member->descriptor) +
         (read.tag(index) == classfile::Tag::kFieldref ? " field" : " method");
}

TEST_CASE(
    "A class names what it inherits through itself, an interface its methods through Object") {
  constexpr uint16_t kClass = 0x0021;
  constexpr uint16_t kInterface = 0x0601;
  const std::string field = "a/T." + InheritedFieldName(3) + ":[J field";
  const std::string hit = kInheritedHit.Name() + ":(Ljava/lang/Object;II)V method";
  CHECK(Named(kClass, false) == field);
  CHECK(Named(kInterface, false) == field);
  CHECK(Named(kClass, true) == "a/T." + hit);
  CHECK(Named(kInterface, true) == "java/lang/Object." + hit);
}

TEST_CASE("What has the members already stays as it is") {
  const std::vector<uint8_t> bytes = ObjectClass();
  Arena arena;
  ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
  ByteSpan once;
  REQUIRE(AddInheritedMembers(file, "R", false, arena, &once) == Reason::kOk);
  ClassFile with_members;
  REQUIRE(with_members.Parse(once, arena) == Reason::kOk);
  ByteSpan twice;
  REQUIRE(AddInheritedMembers(with_members, "R", false, arena, &twice) == Reason::kOk);
  CHECK(twice.data() == once.data());
}

TEST_CASE("The names begin with a word that no class file can know") {
  CHECK(IsInheritedName(InheritedFieldName(3)));
  CHECK(IsInheritedName(kInheritedHit.Name()));
  CHECK_FALSE(IsInheritedName("iprof$c0"));
  CHECK(InheritedFieldName(0).size() == std::string_view("iprof$01234567$c0").size());
  CHECK(InheritedFieldName(0) == InheritedFieldName(0));
}

}  // namespace
}  // namespace iprof::instrument
