// Where the verifier knows of an object whose constructor has not returned.
#include "agent/classfile/uninitialized.h"

#include <catch2/catch.hpp>
#include <string>

#include "agent/classfile/test_class.h"

namespace iprof::classfile {
namespace {

// "3 4": the offsets of the instructions before which there may be such an object.
std::string Where(const TestClass& source) {
  const ByteVector bytes = source.Bytes();
  Workspace memory;
  ClassFile file;
  MethodCode code;
  REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
  REQUIRE(code.Decode(file, file.methods()[0], memory.class_memory) == Reason::kOk);
  UninitializedObjects objects;
  if (const Reason r = objects.Compute(code, memory.method_memory); r != Reason::kOk) {
    return ReasonName(r);
  }
  std::string text;
  for (Insn i = 0; i < code.count(); ++i) {
    if (objects.At(i)) text += (text.empty() ? "" : " ") + std::to_string(code.OffsetOf(i));
  }
  return text;
}

TestClass Method(ByteVector code) {
  TestClass c;
  c.descriptor = "(I)V";
  c.code = std::move(code);
  return c;
}

TEST_CASE("from new to the end of its constructor call") {
  // 0 new / 3 dup / 4 invokespecial / 7 pop / 8 return
  CHECK(Where(Method({0xbb, 0, 4, 0x59, 0xb7, 0, 14, 0x57, 0xb1})) == "3 4");
  // 0 new / 3 nop / 4 dup / 5 astore_1 / 6 monitorenter / 7 aload_1 / 8 invokespecial / 11 return
  CHECK(Where(Method({0xbb, 0, 4, 0, 0x59, 0x4c, 0xc2, 0x2b, 0xb7, 0, 14, 0xb1})) == "3 4 5 6 7 8");
}

TEST_CASE("objects that are made for one another") {
  // 0 new / 3 new / 6 invokespecial / 9 invokespecial / 12 return
  CHECK(Where(Method({0xbb, 0, 4, 0xbb, 0, 4, 0xb7, 0, 14, 0xb7, 0, 14, 0xb1})) == "3 6 9");
}

TEST_CASE("a frame names what there is: copies are one object") {
  // 0 new / 3 dup / 4 iload_0 / 5 ifeq 9 / 8 nop / 9 invokespecial / 12 pop / 13 return
  TestClass c = Method({0xbb, 0, 4, 0x59, 0x1a, 0x99, 0, 4, 0, 0xb7, 0, 14, 0x57, 0xb1});
  SECTION("on the stack") {
    c.attributes = {{"StackMapTable", {0, 1, 255, 0, 9, 0, 1, 1, 0, 2, 8, 0, 0, 8, 0, 0}}};
  }
  SECTION("in locals, too") {
    c.attributes = {
        {"StackMapTable", {0, 1, 255, 0, 9, 0, 3, 1, 8, 0, 0, 0, 0, 2, 8, 0, 0, 8, 0, 0}}};
  }
  CHECK(Where(c) == "3 4 5 8 9");
}

TEST_CASE("an object that was dropped is there until the next frame") {
  // 0 new / 3 pop / 4 nop / 5 goto 8 / 8 return
  TestClass c = Method({0xbb, 0, 4, 0x57, 0, 0xa7, 0, 3, 0xb1});
  c.attributes = {{"StackMapTable", {0, 1, 8}}};
  CHECK(Where(c) == "3 4 5");
}

TEST_CASE("what a frame keeps in a local is there behind it, until a frame chops it off") {
  // 0 new / 3 astore_1 / 4 goto 7 / 7 nop / 8 goto 11 / 11 return
  TestClass c = Method({0xbb, 0, 4, 0x4c, 0xa7, 0, 3, 0, 0xa7, 0, 3, 0xb1});
  c.attributes = {{"StackMapTable", {0, 2, 252, 0, 7, 8, 0, 0, 250, 0, 3}}};
  CHECK(Where(c) == "3 4 7 8");
}

TEST_CASE("a constructor's this, until super() has returned") {
  // 0 nop / 1 aload_0 / 2 invokespecial / 5 return
  TestClass c = Method({0, 0x2a, 0xb7, 0, TestClass::kSuperInit, 0xb1});
  c.name = "<init>";
  c.access = kAccPublic;
  CHECK(Where(c) == "0 1 2");
  c.has_super = false;  // java.lang.Object's own constructor
  CHECK(Where(c).empty());
}

TEST_CASE("damaged frames are refused where the JVM would read them") {
  TestClass c = Method({0xbb, 0, 4, 0x57, 0xb1});
  c.attributes = {{"StackMapTable", {0, 1, 200}}};
  CHECK(Where(c) == "kBadFrames");
  c.major = 49;
  CHECK(Where(c) == "3 4");
}

}  // namespace
}  // namespace iprof::classfile
