// The places of inserted code. Every test shows the whole code before and after. Inserted code
// consists of `nop`s.
#include "agent/classfile/rewriter.h"

#include <catch2/catch.hpp>
#include <functional>

#include "agent/classfile/test_class.h"

namespace iprof::classfile {
namespace {

// 0 iload_0 / 1 ifeq 8 / 4 iinc 0 1 / 7 return / 8 return
TestClass IfClass() {
  TestClass c;
  c.descriptor = "(I)V";
  c.code = {0x1a, 0x99, 0, 7, 0x84, 0, 1, 0xb1, 0xb1};
  c.attributes = {{"StackMapTable", {0, 1, 8}}};
  return c;
}

TEST_CASE("the printed form of what the tests start from") {
  Workspace memory;
  const ByteVector bytes = IfClass().Bytes();
  CHECK(Print(bytes, memory.class_memory) ==
        "0 iload_0 / 1 ifeq 8 / 4 iinc / 7 return / 8 return | frame 8 same");
}

TEST_CASE("nothing inserted: the class is the input itself, byte for byte") {
  ByteVector out;
  Reason reason{};
  Rewrite(
      IfClass(), [](MethodEditor&) {}, &reason, {}, &out);
  CHECK(reason == Reason::kOk);
  CHECK(out == IfClass().Bytes());
  Rewrite(
      IfClass(), [](MethodEditor&) {}, &reason, {8000, true}, &out);
  CHECK(out == IfClass().Bytes());
}

TEST_CASE("what is written again without insertions is the input, damaged tables too") {
  TestClass c = IfClass();
  for (const uint16_t version : {uint16_t{45}, uint16_t{61}}) {
    c.major = version;
    c.attributes = {{"StackMapTable", {}}, {"LineNumberTable", {}}};
    RewriteOptions options;
    options.rewrite_untouched = true;
    ByteVector out;
    Reason reason{};
    Rewrite(
        c, [](MethodEditor&) {}, &reason, options, &out);
    CHECK(out == c.Bytes());
    // Old classes need no frames. In a new class this table is damaged.
    CHECK(reason == (version < 50 ? Reason::kOk : Reason::kBadFrames));
  }
}

TEST_CASE("frames that keep more than max_locals slots: the method stays as it was") {
  TestClass c = IfClass();
  c.max_locals = 3;
  // The argument and one long fit. With another long there are three items but five slots.
  c.attributes = {{"StackMapTable", {0, 3, 252, 0, 4, 4, 252, 0, 2, 4, 0}}};
  ByteVector out;
  Reason reason{};
  Rewrite(
      c, [](MethodEditor& e) { e.OnEdge(1, kTaken, Nops(e)); }, &reason, {}, &out);
  CHECK(reason == Reason::kBadFrames);
  CHECK(out == c.Bytes());
}

TEST_CASE("frames of chopped and of all locals make room") {
  TestClass c = IfClass();
  c.max_locals = 3;
  for (const ByteVector& table : {
           ByteVector{0, 3, 252, 0, 4, 4, 250, 0, 2, 252, 0, 0, 4},  // long, nothing, long
           ByteVector{0, 3, 252, 0, 4, 4, 255, 0, 2, 0, 1, 4, 0, 0, 252, 0, 0, 1}  // long, int
       }) {
    c.attributes = {{"StackMapTable", table}};
    Reason reason{};
    Rewrite(
        c, [](MethodEditor& e) { e.OnEdge(1, kTaken, Nops(e)); }, &reason);
    CHECK(reason == Reason::kOk);
  }
}

TEST_CASE("before an instruction: branches to it go to the inserted code") {
  CHECK(Rewrite(IfClass(), [](MethodEditor& e) { e.Before(4, Nops(e)); }) ==
        "0 iload_0 / 1 ifeq 8 / 4 iinc / 7 return / 8 nop / 9 return | frame 8 same");
}

TEST_CASE("on the fall-through edge: inline, before the label") {
  CHECK(Rewrite(IfClass(), [](MethodEditor& e) { e.OnEdge(1, kFallThrough, Nops(e)); }) ==
        "0 iload_0 / 1 ifeq 9 / 4 nop / 5 iinc / 8 return / 9 return | frame 9 same");
}

TEST_CASE("on the taken edge: a trampoline with the target's frame") {
  CHECK(Rewrite(IfClass(), [](MethodEditor& e) { e.OnEdge(1, kTaken, Nops(e)); }) ==
        "0 iload_0 / 1 ifeq 9 / 4 iinc / 7 return / 8 return / 9 nop / 10 goto 8"
        " | frame 8 same | frame 9 same");
}

TEST_CASE("all places around one label, in their order") {
  // 0 goto 3 / 3 iload_0 / 4 ifne 0 / 7 return: the loop head is bci 0.
  TestClass c;
  c.descriptor = "(I)V";
  c.code = {0xa7, 0, 3, 0x1a, 0x9a, 0xff, 0xfc, 0xb1};
  c.attributes = {{"StackMapTable", {0, 2, 0, 2}}};
  const std::string text = Rewrite(c, [](MethodEditor& e) {
    e.OnEdge(0, kTaken, Nops(e, 3));
    e.Before(0, Nops(e, 2));
    e.OnEntry(Nops(e, 1));
  });
  // Entry code runs once; the loop starts at 1.
  CHECK(text ==
        "0 nop / 1 nop / 2 nop / 3 nop / 4 nop / 5 nop / 6 goto 9 / 9 iload_0 / 10 ifne 1 / "
        "13 return | frame 1 same | frame 9 same");
}

TEST_CASE("several insertions at one place run in the order of recording") {
  CHECK(Rewrite(IfClass(),
                [](MethodEditor& e) {
                  e.Before(3, e.Build().Raw(Op::iconst_0).Raw(Op::pop).Finish());
                  e.Before(0, Nops(e));
                  e.Before(3, e.Build().Raw(Op::iconst_1).Raw(Op::pop).Finish());
                }) ==
        "0 nop / 1 iload_0 / 2 ifeq 13 / 5 iinc / 8 iconst_0 / 9 pop / 10 iconst_1 / 11 pop / "
        "12 return / 13 return | frame 13 same");
}

// 0 iload_0 / 1 tableswitch 5:24 6:25 7:24 else:25
TestClass SwitchClass() {
  TestClass c;
  c.descriptor = "(I)V";
  c.code = {0x1a, 0xaa, 0, 0};
  for (const uint32_t v : {24u, 5u, 7u, 27u, 24u, 27u}) PutU4(&c.code, v);
  c.code.insert(c.code.end(), {0xb1, 0xb1});
  // Targets are relative to bci 1. The two returns are at 25 and 28.
  c.code.resize(28);
  c.code.insert(c.code.end(), {0xb1, 0xb1});
  for (size_t k = 4; k < 28; k += 4) {
    const uint32_t v = LoadU4(c.code.data() + k);
    if (v == 24u) StoreU4(c.code.data() + k, 28 - 1);
    if (v == 27u) StoreU4(c.code.data() + k, 29 - 1);
  }
  c.attributes = {{"StackMapTable", {0, 2, 28, 0}}};
  return c;
}

TEST_CASE("switch: padding follows the position, keys get trampolines of their own or share one") {
  Workspace memory;
  const ByteVector bytes = SwitchClass().Bytes();
  REQUIRE(Print(bytes, memory.class_memory) ==
          "0 iload_0 / 1 tableswitch 5:29 6:28 7:29 else:28 / 28 return / 29 return"
          " | frame 28 same | frame 29 same");
  SECTION("padding") {
    CHECK(Rewrite(SwitchClass(), [](MethodEditor& e) { e.Before(0, Nops(e, 2)); }) ==
          "0 nop / 1 nop / 2 iload_0 / 3 tableswitch 5:29 6:28 7:29 else:28 / 28 return / "
          "29 return | frame 28 same | frame 29 same");
  }
  SECTION("separate") {
    CHECK(Rewrite(SwitchClass(),
                  [](MethodEditor& e) {
                    e.OnEdge(1, 1, Nops(e, 1));
                    e.OnEdge(1, 3, Nops(e, 2));
                    e.OnEdge(1, kSwitchDefault, Nops(e, 3));
                  }) ==
          "0 iload_0 / 1 tableswitch 5:36 6:28 7:40 else:30 / 28 return / 29 return / 30 nop / "
          "31 nop / 32 nop / 33 goto 28 / 36 nop / 37 goto 29 / 40 nop / 41 nop / 42 goto 29"
          " | frame 28 same | frame 29 same | frame 30 same | frame 36 same | frame 40 same");
  }
  SECTION("shared") {
    const Slot slots[] = {1, 3};
    CHECK(Rewrite(SwitchClass(), [&](MethodEditor& e) { e.OnEdges(1, slots, Nops(e)); }) ==
          "0 iload_0 / 1 tableswitch 5:30 6:28 7:30 else:28 / 28 return / 29 return / 30 nop / "
          "31 goto 29 | frame 28 same | frame 29 same | frame 30 same");
  }
  SECTION("shared by keys that go elsewhere: refused") {
    const Slot slots[] = {1, 2};
    CHECK(Rewrite(SwitchClass(), [&](MethodEditor& e) { e.OnEdges(1, slots, Nops(e)); }) ==
          "kEdgeTaken");
  }
}

TEST_CASE("an edge can be given one insertion only") {
  CHECK(Rewrite(IfClass(), [](MethodEditor& e) {
          e.OnEdge(1, kTaken, Nops(e));
          e.OnEdge(1, kTaken, Nops(e));
        }) == "kEdgeTaken");
  CHECK(Rewrite(IfClass(), [](MethodEditor& e) { e.OnEdge(0, kTaken, Nops(e)); }) == "kNoSuchEdge");
  CHECK(Rewrite(IfClass(), [](MethodEditor& e) { e.OnEdge(4, kFallThrough, Nops(e)); }) ==
        "kNoSuchEdge");
}

// max_stack after insertions whose snippet needs this many slots.
int MaxStack(const TestClass& c, int slots,
             const std::function<void(MethodEditor&, const Snippet&)>& record) {
  ByteVector out;
  Reason reason{};
  Rewrite(
      c,
      [&](MethodEditor& e) {
        SnippetBuilder builder = e.Build();
        for (int k = 0; k < slots; ++k) builder.Raw(Op::aconst_null);
        for (int k = 0; k < slots; ++k) builder.Raw(Op::pop);
        record(e, builder.Finish());
      },
      &reason, {}, &out);
  REQUIRE(reason == Reason::kOk);
  Workspace memory;
  ClassFile file;
  MethodCode code;
  REQUIRE(file.Parse(out, memory.class_memory) == Reason::kOk);
  REQUIRE(code.Decode(file, file.methods()[0], memory.method_memory) == Reason::kOk);
  return code.max_stack();
}

TEST_CASE("max_stack grows by what is needed where the code stands") {
  TestClass c;
  c.max_stack = 3;
  // lconst_0 / iconst_0 / pop / pop2 / return: three slots are in use before the first pop
  c.code = {0x09, 0x03, 0x57, 0x58, 0xb1};
  const auto before = [&](Insn where) {
    return MaxStack(c, 2, [&](MethodEditor& e, const Snippet& s) { e.Before(where, s); });
  };
  CHECK(before(0) == 3);
  CHECK(before(1) == 4);
  CHECK(before(2) == 5);
  CHECK(before(4) == 3);
}

TEST_CASE("max_stack on edges") {
  // 0 lconst_0 / 1 iload_0 / 2 ifeq 7 / 5 pop2 / 6 return / 7 pop2 / 8 return
  TestClass c;
  c.major = 49;
  c.descriptor = "(I)V";
  c.max_stack = 3;
  c.code = {0x09, 0x1a, 0x99, 0, 5, 0x58, 0xb1, 0x58, 0xb1};
  CHECK(MaxStack(c, 4, [](MethodEditor& e, const Snippet& s) { e.OnEntry(s); }) == 4);
  CHECK(MaxStack(c, 4, [](MethodEditor& e, const Snippet& s) { e.OnEdge(2, kFallThrough, s); }) ==
        6);
  CHECK(MaxStack(c, 4, [](MethodEditor& e, const Snippet& s) { e.OnEdge(2, kTaken, s); }) == 6);
  CHECK(MaxStack(c, 4, [](MethodEditor& e, const Snippet& s) { e.Before(2, s); }) == 7);
}

TEST_CASE("max_stack at entries: nothing is on the stack, or the exception") {
  //0 aload_0 / 1 athrow / 2 athrow, which is the handler
  TestClass c;
  c.descriptor = "(Ljava/lang/Object;)V";
  c.code = {0x2a, 0xbf, 0xbf};
  c.max_stack = 2;
  c.exceptions = {{0, 2, 2}};
  c.attributes = {{"StackMapTable", {0, 1, 66, 7, 0, TestClass::kSuper}}};
  const auto on_entry = [](MethodEditor& e, const Snippet& s) { e.OnEntry(s); };
  const auto on_handler = [](MethodEditor& e, const Snippet& s) { e.OnHandler(2, s); };
  const auto catch_all = [](MethodEditor& e, const Snippet& s) { e.CatchAll(s); };
  CHECK(MaxStack(c, 2, on_entry) == 2);
  CHECK(MaxStack(c, 3, on_entry) == 3);
  CHECK(MaxStack(c, 1, on_handler) == 2);
  CHECK(MaxStack(c, 2, on_handler) == 3);
  CHECK(MaxStack(c, 1, catch_all) == 2);
  CHECK(MaxStack(c, 2, catch_all) == 3);
  // A handler that is also a branch target has a stub: 0 aconst_null / 1 goto 4 / 4 pop / 5 return
  c.major = 49;
  c.max_stack = 1;
  c.code = {0x01, 0xa7, 0, 3, 0x57, 0xb1};
  c.exceptions = {{0, 1, 4}};
  c.attributes.clear();
  CHECK(MaxStack(c, 4, on_handler) == 5);
}

TEST_CASE("max_stack with jsr: exact at the entry, an upper bound elsewhere") {
  // 0 jsr 4 / 3 return / 4 astore_0 / 5 ret 0
  TestClass c;
  c.major = 48;
  c.code = {0xa8, 0, 4, 0xb1, 0x4b, 0xa9, 0};
  c.max_stack = 4;
  CHECK(MaxStack(c, 6, [](MethodEditor& e, const Snippet& s) { e.OnEntry(s); }) == 6);
  CHECK(MaxStack(c, 6, [](MethodEditor& e, const Snippet& s) { e.Before(1, s); }) == 10);
}

TEST_CASE("Uninitialized items in frames name the moved new") {
  // 0 new Object / 3 iload_0 / 4 ifeq 8 / 7 nop / 8 pop / 9 return
  TestClass c;
  c.descriptor = "(I)V";
  c.code = {0xbb, 0, TestClass::kSuper, 0x1a, 0x99, 0, 4, 0, 0x57, 0xb1};
  c.attributes = {{"StackMapTable", {0, 1, 72, 8, 0, 0}}};
  CHECK(Rewrite(c, [](MethodEditor& e) { e.Before(0, Nops(e, 3)); }) ==
        "0 nop / 1 nop / 2 nop / 3 new / 6 iload_0 / 7 ifeq 11 / 10 nop / 11 pop / 12 return"
        " | frame 11 same {new@3}");
}

TEST_CASE("a distance that no longer fits changes a frame's form") {
  CHECK(Rewrite(IfClass(), [](MethodEditor& e) {
          e.Before(2, Nops(e, 60));
        }).find("| frame 68 same") != std::string::npos);
}

TEST_CASE("limits: refused with a reason, and the class stays as it was") {
  Reason reason{};
  SECTION("huge method limit") {
    TestClass c;
    c.code.assign(7990, 0);
    c.code.push_back(0xb1);
    CHECK(Rewrite(
              c, [](MethodEditor& e) { e.Before(0, Nops(e, 9)); }, &reason)
              .substr(0, 3) == "0 n");
    CHECK(Rewrite(c, [](MethodEditor& e) { e.Before(0, Nops(e, 10)); }) ==
          "kCrossesHugeMethodLimit");
    CHECK(Rewrite(c, [](MethodEditor& e) { e.Before(0, Nops(e, 10)); }, &reason, {0, false})
              .substr(0, 3) == "0 n");
  }
  SECTION("65,535 bytes of code") {
    TestClass c;
    c.code.assign(65530, 0);
    c.code.push_back(0xb1);
    CHECK(Rewrite(c, [](MethodEditor& e) { e.Before(0, Nops(e, 4)); }).substr(0, 3) == "0 n");
    CHECK(Rewrite(c, [](MethodEditor& e) { e.Before(0, Nops(e, 5)); }) == "kCodeTooLong");
  }
  SECTION("65,535 constants") {
    TestClass c;
    c.code = {0xb1};
    c.extra_constants = 65535 - 22 - 3;
    const auto edit = [](MethodEditor& e) {
      e.Before(0, e.Build().GetStatic("H", "c", "[J").Raw(Op::pop).Finish());
    };
    CHECK(Rewrite(c, edit) == "kConstantPoolFull");
    c.extra_constants -= 10;
    CHECK(Rewrite(c, edit) == "0 getstatic / 3 pop / 4 return");
  }
  SECTION("locals and stack") {
    TestClass c;
    c.code = {0xb1};
    c.max_locals = 65535;
    CHECK(Rewrite(c, [](MethodEditor& e) {
            const FreshLocal l = e.TakeLocal(1);
            e.Before(0, e.Build().Raw(Op::iconst_0).Store('I', l).Finish());
          }) == "kTooManyLocals");
    c.max_locals = 0;
    c.major = 45;  // before 45.3 both fields have one byte
    c.max_stack = 255;
    c.code = ByteVector(255, 0x03);
    c.code.insert(c.code.end(), 255, 0x57);
    c.code.push_back(0xb1);
    CHECK(Rewrite(c, [](MethodEditor& e) {
            e.Before(255, e.Build().Raw(Op::iconst_0).Raw(Op::pop).Finish());
          }) == "kStackTooDeep");
  }
}

TEST_CASE("old classes: short headers, jsr and ret") {
  TestClass c;
  c.major = 45;
  c.minor = 0;
  // 0 jsr 4 / 3 return / 4 astore_0 / 5 ret 0
  c.code = {0xa8, 0, 4, 0xb1, 0x4b, 0xa9, 0};
  CHECK(Rewrite(c, [](MethodEditor& e) {
          e.Before(2, Nops(e));
          e.OnEdge(0, kFallThrough, Nops(e));
          e.OnEdge(0, kTaken, Nops(e));
        }) == "0 nop / 1 jsr 6 / 4 nop / 5 return / 6 nop / 7 astore_0 / 8 ret");
}

TEST_CASE("a declined method leaves no constants behind") {
  const ByteVector bytes = IfClass().Bytes();
  Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
  ClassRewriter rewriter(file, memory);
  MethodCode code;
  REQUIRE(rewriter.Open(0, &code) == Reason::kOk);
  MethodEditor editor = rewriter.Edit(code);
  editor.Before(99, editor.Build().GetStatic("H", "c", "[J").Raw(Op::pop).Finish());
  CHECK(rewriter.Apply(editor) == Reason::kNoSuchEdge);
  CHECK(rewriter.pool().byte_size() == 0);
  CHECK(rewriter.rewritten_methods() == 0);
  const ByteSpan out = rewriter.Finish();
  CHECK(out.data() == bytes.data());
}

}  // namespace
}  // namespace iprof::classfile
