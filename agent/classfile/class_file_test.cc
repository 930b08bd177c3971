// Reads class files and adds constants.
#include "agent/classfile/class_file.h"

#include <catch2/catch.hpp>

#include "agent/classfile/test_class.h"
#include "java-tests/native/classfile/checker.h"

namespace iprof::classfile {
namespace {

TestClass Small() {
  TestClass c;
  c.code = {0xb1};
  c.attributes = {{"LineNumberTable", {0, 1, 0, 0, 0, 3}}};
  return c;
}

Reason Parse(const ByteVector& bytes) {
  Workspace memory;
  ClassFile file;
  // A copy of the exact size, so that a sanitizer sees reads beyond it.
  const ByteVector copy(bytes);
  return file.Parse(copy, memory.class_memory);
}

TEST_CASE("names, members and attributes") {
  const ByteVector bytes = Small().Bytes();
  Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
  CHECK(file.name() == "T");
  CHECK(file.super_name() == "java/lang/Object");
  CHECK(file.major_version() == 61);
  REQUIRE(file.methods().size() == 1);
  CHECK(file.NameOf(file.methods()[0]) == "m");
  CHECK(file.DescriptorOf(file.methods()[0]) == "()V");
  CHECK(file.pool().Utf8(CpIndex{60000}).data() == nullptr);
  CHECK(file.pool().ClassName(CpIndex{1}).data() == nullptr);
  CHECK_FALSE(file.pool().Member(CpIndex{2}).has_value());
}

TEST_CASE("a class initializer's flags are what the JVM takes them for, its bytes stay") {
  const auto access = [](std::string_view name, int major, int flags) {
    TestClass c = Small();
    c.name = name;
    c.major = static_cast<uint16_t>(major);
    c.access = static_cast<uint16_t>(flags);
    const ByteVector bytes = c.Bytes();
    Workspace memory;
    ClassFile file;
    REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
    const MemberInfo& method = file.methods()[0];
    CHECK(LoadU2(bytes.data() + method.offset) == flags);
    return int{method.access};
  };
  CHECK(access("<clinit>", 61, 0x0008) == 0x0008);
  CHECK(access("<clinit>", 61, 0x0028) == 0x0008);  // synchronized
  CHECK(access("<clinit>", 50, 0x0028) == 0x0008);
  CHECK(access("<clinit>", 50, 0x0020) == 0x0008);
  CHECK(access("<clinit>", 50, 0) == 0x0008);
  CHECK(access("<clinit>", 51, 0x0020) == 0x0020);  // the JVM refuses it
  CHECK(access("m", 50, 0x0028) == 0x0028);
}

TEST_CASE("versions 45 to 71") {
  TestClass c = Small();
  for (const int major : {44, 45, 50, 69, 71, 72, 65535}) {
    c.major = static_cast<uint16_t>(major);
    INFO(major);
    CHECK(Parse(c.Bytes()) ==
          (major >= 45 && major <= 71 ? Reason::kOk : Reason::kUnsupportedVersion));
  }
}

TEST_CASE("a class cut off anywhere, or with a byte too many, is refused") {
  const ByteVector whole = Small().Bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    CHECK(Parse(ByteVector(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size))) !=
          Reason::kOk);
  }
  ByteVector longer = whole;
  longer.push_back(0);
  CHECK(Parse(longer) == Reason::kBadStructure);
}

TEST_CASE("every byte changed to every of some values: refused or read, never worse") {
  const ByteVector whole = Small().Bytes();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const uint8_t value : ByteVector{0x00, 0x01, 0x7f, 0x80, 0xff}) {
      ByteVector damaged = whole;
      damaged[at] = value;
      Workspace memory;
      ClassFile file;
      if (file.Parse(damaged, memory.class_memory) != Reason::kOk) continue;
      ClassRewriter rewriter(file, memory, {0, true});
      for (uint32_t m = 0; m < file.methods().size(); ++m) {
        MethodCode code;
        if (rewriter.Open(m, &code) != Reason::kOk) continue;
        MethodEditor editor = rewriter.Edit(code);
        editor.OnEntry(Nops(editor));
        CHECK(rewriter.Apply(editor) != Reason::kInternal);
      }
      const ByteSpan result = rewriter.Finish();
      Workspace check_memory;
      const CheckResult check = CheckRewritten(damaged, result, check_memory);
      INFO(at << " " << int{value});
      CHECK(check.problem == nullptr);
    }
  }
}

TEST_CASE("constants are added once, counted, written, and taken back") {
  const ByteVector bytes = Small().Bytes();
  Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
  PoolAdditions pool(file.pool(), memory.class_memory);
  const uint32_t first = file.pool().count();
  const CpIndex a = pool.Field("H", "c", "[J");
  CHECK(pool.Field("H", "c", "[J") == a);
  CHECK(pool.Field("H", "d", "[J") != a);
  CHECK(pool.Method("H", "c", "[J") != a);
  const PoolAdditions::Mark mark = pool.GetMark();
  const CpIndex number = pool.Long(-2);
  CHECK(pool.Long(-2) == number);
  CHECK(pool.Integer(-2) != number);
  CHECK(pool.pool_count() == Value(number) + 3u);  // the long takes two, the int one
  CHECK(pool.String("s") != pool.Class("s"));
  CHECK(pool.Utf8("") == pool.Utf8(""));
  pool.Rewind(mark);
  CHECK(pool.GetMark().next == mark.next);
  CHECK(pool.Long(7) == number);
  CHECK(pool.Field("H", "c", "[J") == a);
  ByteVector out(pool.byte_size());
  pool.Write(out.data());
  CHECK(out[0] == 1);
  CHECK(pool.pool_count() > first);
}

TEST_CASE("the pool ends at 65,535 and says so until it is rewound") {
  TestClass c = Small();
  c.extra_constants = 65535 - 24;
  const ByteVector bytes = c.Bytes();
  Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
  PoolAdditions pool(file.pool(), memory.class_memory);
  const PoolAdditions::Mark mark = pool.GetMark();
  int added = 0;
  while (pool.Integer(added) != CpIndex::none) ++added;
  CHECK(pool.pool_count() == 65535);
  CHECK(pool.full());
  CHECK(pool.Class("x") == CpIndex::none);
  pool.Rewind(mark);
  CHECK_FALSE(pool.full());
}

TEST_CASE("the checker sees what is wrong") {
  const ByteVector before = Small().Bytes();
  const auto problem = [&](const ByteVector& after) {
    Workspace memory;
    const CheckResult r = CheckRewritten(before, after, memory);
    return std::string(r.ok() ? "none" : r.problem);
  };
  CHECK(problem(before) == "none");
  ByteVector after = before;
  after.back() = 1;
  CHECK(problem(after) == "does not parse");
  after = before;
  after[before.size() - 3] = 9;  // the line; two bytes of class attributes follow
  CHECK(problem(after) == "none");
  after[before.size() - 5] = 1;  // its offset
  CHECK(problem(after) == "LineNumberTable");
}

TEST_CASE("an arena gives back what it is asked to, and grows") {
  Arena arena(64);
  auto* first = arena.Allocate<uint32_t>(10);
  first[9] = 7;
  const Arena::Mark mark = arena.GetMark();
  for (int k = 0; k < 100; ++k) arena.AllocateZeroed<uint64_t>(100);
  CHECK(first[9] == 7);
  CHECK(arena.peak_bytes() >= 80000);
  arena.Rewind(mark);
  CHECK(first[9] == 7);
  CHECK(arena.peak_bytes() >= 80000);
  arena.Reset();
  CHECK(arena.peak_bytes() == 0);
  auto* a = arena.Allocate<uint8_t>(100);
  arena.Shrink(a, 1);
  CHECK(arena.Allocate<uint8_t>(1) == a + 8);
}

}  // namespace
}  // namespace iprof::classfile
