// Tables that hold bytecode offsets are moved if they fit the code, and dropped otherwise.
#include "agent/classfile/code_tables.h"

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "agent/classfile/test_class.h"

namespace iprof::classfile {
namespace {

std::string Hex(ByteSpan bytes) {
  std::string text;
  for (const uint8_t b : bytes) text += fmt::format("{:02x}", b);
  return text;
}

// The attribute `name` of the code after `edit`, or "none".
template <typename Edit>
std::string Table(const TestClass& source, const char* name, Edit edit) {
  ByteVector out;
  Reason reason{};
  Rewrite(source, edit, &reason, {}, &out);
  if (reason != Reason::kOk) return ReasonName(reason);
  Workspace memory;
  ClassFile file;
  MethodCode code;
  if (file.Parse(out, memory.class_memory) != Reason::kOk) return "does not parse";
  if (code.Decode(file, file.methods()[0], memory.class_memory) != Reason::kOk) return "bad code";
  AttributeWalk walk = code.attributes();
  AttributeView a;
  while (walk.Next(&a)) {
    if (file.pool().Utf8(a.name) == name) return Hex(a.bytes);
  }
  return "none";
}

// 0 iload_0 / 1 ifeq 8 / 4 iinc 0 1 / 7 return / 8 return / 9 pop / 10 return, with one table.
TestClass With(const char* name, ByteVector table) {
  TestClass c;
  c.descriptor = "(I)V";
  c.code = {0x1a, 0x99, 0, 7, 0x84, 0, 1, 0xb1, 0xb1, 0x57, 0xb1};
  c.exceptions = {{0, 9, 9, 0}, {0, 7, 9, 0}};
  c.attributes = {{"StackMapTable", {0, 2, 8, 64, 7, 0, TestClass::kSuper}},
                  {name, std::move(table)}};
  return c;
}

const auto kEntryAndLast = [](MethodEditor& e) {
  e.OnEntry(Nops(e, 2));
  e.Before(4, Nops(e, 1));
};
const auto kTakenEdge = [](MethodEditor& e) { e.OnEdge(1, kTaken, Nops(e)); };

TEST_CASE("LineNumberTable: entry code has the first line, a trampoline the line of its branch") {
  const TestClass c = With("LineNumberTable", {0, 3, 0, 0, 0, 7, 0, 4, 0, 8, 0, 8, 0, 9});
  CHECK(Table(c, "LineNumberTable", kEntryAndLast) ==
        "0003"
        "00000007"
        "00060008"
        "000a0009");
  CHECK(Table(c, "LineNumberTable", kTakenEdge) ==
        "0004"
        "00000007"
        "00040008"
        "00080009"
        "000b0007");
}

TEST_CASE("a debugging table that does not fit its code is dropped") {
  CHECK(Table(With("LineNumberTable", {0, 1, 0, 2, 0, 7}), "LineNumberTable", kTakenEdge) ==
        "none");
  CHECK(Table(With("LineNumberTable", {0, 2, 0, 0, 0, 7}), "LineNumberTable", kTakenEdge) ==
        "none");
  CHECK(Table(With("LocalVariableTable", {0, 1, 0, 0, 0, 99, 0, 1, 0, 1, 0, 0}),
              "LocalVariableTable", kTakenEdge) == "none");
  // If nothing is rewritten, the table stays.
  CHECK(Table(With("LineNumberTable", {0, 1, 0, 2, 0, 7}), "LineNumberTable",
              [](MethodEditor&) {}) == "000100020007");
}

TEST_CASE("LocalVariableTable and LocalVariableTypeTable") {
  for (const char* name : {"LocalVariableTable", "LocalVariableTypeTable"}) {
    const TestClass c =
        With(name, {0, 2, 0, 0, 0, 9, 0, 1, 0, 1, 0, 0, 0, 4, 0, 4, 0, 2, 0, 2, 0, 1});
    CHECK(Table(c, name, kEntryAndLast) ==
          "0002"
          "0000000c000100010000"
          "00060004000200020001");
  }
}

TEST_CASE("CharacterRangeTable: ends are inclusive") {
  const TestClass c = With("CharacterRangeTable", {0, 1, 0, 4, 0, 7, 0, 0, 4, 1, 0, 0, 8, 2, 0, 1});
  CHECK(Table(c, "CharacterRangeTable", kEntryAndLast) ==
        "0001"
        "00060009"
        "0000040100000802"
        "0001");
}

TEST_CASE("type annotations of code") {
  const char* name = "RuntimeVisibleTypeAnnotations";
  SECTION("a cast's offset names the instruction, not the code before it") {
    // target 47 at 8, argument 0, no path, annotation type 1 without values
    const TestClass c = With(name, {0, 1, 0x47, 0, 8, 0, 0, 0, 1, 0, 0});
    CHECK(Table(c, name, kEntryAndLast) ==
          "0001"
          "47000b00"
          "00"
          "00010000");
  }
  SECTION("a local variable's ranges") {
    const TestClass c = With(name, {0, 1, 0x40, 0, 1, 0, 4, 0, 4, 0, 1, 0, 0, 1, 0, 0});
    CHECK(Table(c, name, kEntryAndLast) ==
          "0001"
          "400001"
          "000600040001"
          "00"
          "00010000");
  }
  SECTION("an exception parameter's entry, when entries before it multiply") {
    // Where a monitor may be held, a trampoline has entries of its own:
    // 0 iload_0 / 1 ifeq 8 / 4 iinc 0 1 / 7 return / 8 aload_1 / 9 monitorenter / 10 return / 11 pop / 12 return
    TestClass c = With(name, {0, 1, 0x42, 0, 1, 0, 0, 1, 0, 0});
    c.descriptor = "(ILjava/lang/Object;)V";
    c.code = {0x1a, 0x99, 0, 7, 0x84, 0, 1, 0xb1, 0x2b, 0xc2, 0xb1, 0x57, 0xb1};
    c.exceptions = {{0, 11, 11, 0}, {0, 7, 11, 0}};
    c.attributes[0] = {"StackMapTable", {0, 2, 8, 66, 7, 0, TestClass::kSuper}};
    CHECK(Table(c, name, [](MethodEditor& e) { e.OnEdge(1, kTaken, Nops(e)); }) ==
          "0001"
          "420002"
          "00"
          "00010000");
  }
  SECTION("nested values are walked, damaged ones make the table go") {
    const ByteVector nested = {0, 1,   0x44, 0, 4, 1, 0, 0, 0,   1, 0, 1, 0, 2,   '[', 0,
                               2, '@', 0,    3, 0, 1, 0, 4, 'e', 0, 5, 0, 6, 'I', 0,   7};
    CHECK(Table(With(name, nested), name, kEntryAndLast).substr(0, 10) == "0001440006");
    ByteVector damaged = nested;
    damaged.pop_back();
    CHECK(Table(With(name, damaged), name, kEntryAndLast) == "none");
    damaged = nested;
    damaged[14] = '?';
    CHECK(Table(With(name, damaged), name, kEntryAndLast) == "none");
    damaged = nested;
    damaged[2] = 0x10;  // not a target that code can have
    CHECK(Table(With(name, damaged), name, kEntryAndLast) == "none");
  }
  SECTION("fifty thousand nested arrays need no stack") {
    ByteVector deep = {0, 1, 0x44, 0, 4, 0, 0, 1, 0, 1, 0, 2};
    for (int k = 0; k < 50000; ++k) deep.insert(deep.end(), {'[', 0, 1});
    deep.insert(deep.end(), {'I', 0, 7});
    CHECK(Table(With(name, deep), name, kEntryAndLast).substr(0, 10) == "0001440006");
  }
}

TEST_CASE("an unknown attribute of code is dropped from rewritten methods only") {
  const TestClass c = With("Unheard", {1, 2, 3});
  CHECK(Table(c, "Unheard", kTakenEdge) == "none");
  CHECK(Table(c, "Unheard", [](MethodEditor&) {}) == "010203");
}

TEST_CASE("attributes of the method stay, known or not") {
  TestClass c = With("Unheard", {});
  c.method_attributes = {{"AlsoUnheard", {4, 5}}, {"Deprecated", {}}};
  ByteVector out;
  Rewrite(c, kTakenEdge, nullptr, {}, &out);
  Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(out, memory.class_memory) == Reason::kOk);
  AttributeWalk walk = file.AttributesOf(file.methods()[0]);
  AttributeView a;
  std::string names;
  while (walk.Next(&a))
    names += std::string(file.pool().Utf8(a.name)) + " " + Hex(a.bytes).substr(0, 4) + ";";
  CHECK(names.substr(0, 5) == "Code ");
  CHECK(names.find("AlsoUnheard 0405;Deprecated ;") != std::string::npos);
}

}  // namespace
}  // namespace iprof::classfile
