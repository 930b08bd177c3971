// Inserted code and exception handlers: what stays protected, by which entries, and what is not.
// Every test shows the whole code before and after. Inserted code consists of `nop`s.
#include "agent/classfile/rewriter.h"

#include <catch2/catch.hpp>

#include "agent/classfile/test_class.h"

namespace iprof::classfile {
namespace {

//0 nop / 1 nop / 2 return / 3 pop / 4 return; 3 protects 0-2.
TestClass TryClass() {
  TestClass c;
  c.code = {0, 0, 0xb1, 0x57, 0xb1};
  c.exceptions = {{0, 2, 3, 0}};
  c.attributes = {{"StackMapTable", {0, 1, 67, 7, 0, TestClass::kSuper}}};
  return c;
}

TEST_CASE("ranges: code before the first instruction is inside, before the end outside") {
  const auto probe = [](MethodEditor& e) {
    return e.Build().Raw(Op::iconst_0).Raw(Op::pop).Finish();
  };
  CHECK(Rewrite(TryClass(), [&](MethodEditor& e) { e.Before(0, probe(e)); }) ==
        "0 iconst_0 / 1 pop / 2 nop / 3 nop / 4 return / 5 pop / 6 return | catch 0-4 at 5"
        " | frame 5 same {java/lang/Object}");
  CHECK(Rewrite(TryClass(), [&](MethodEditor& e) { e.OnEntry(probe(e)); }) ==
        "0 iconst_0 / 1 pop / 2 nop / 3 nop / 4 return / 5 pop / 6 return | catch 2-4 at 5"
        " | frame 5 same {java/lang/Object}");
  CHECK(Rewrite(TryClass(), [&](MethodEditor& e) { e.Before(2, probe(e)); }) ==
        "0 nop / 1 nop / 2 iconst_0 / 3 pop / 4 return / 5 pop / 6 return | catch 0-2 at 5"
        " | frame 5 same {java/lang/Object}");
}

TEST_CASE("handler entry: inline when only exceptions come, a stub when others do too") {
  CHECK(Rewrite(TryClass(), [](MethodEditor& e) { e.OnHandler(3, Nops(e)); }) ==
        "0 nop / 1 nop / 2 return / 3 nop / 4 pop / 5 return | catch 0-2 at 3"
        " | frame 3 same {java/lang/Object}");
  //0 aconst_null / 1 pop / 2 return; the handler is 1, and control falls into it from 0.
  TestClass c;
  c.code = {0x01, 0x57, 0xb1};
  c.exceptions = {{0, 1, 1, 0}};
  c.attributes = {{"StackMapTable", {0, 1, 65, 7, 0, TestClass::kSuper}}};
  CHECK(Rewrite(c, [](MethodEditor& e) { e.OnHandler(1, Nops(e)); }) ==
        "0 aconst_null / 1 pop / 2 return / 3 nop / 4 goto 1 | catch 0-1 at 3"
        " | frame 1 same {java/lang/Object} | frame 3 same {java/lang/Object}");
  CHECK(Rewrite(c, [](MethodEditor& e) { e.OnHandler(0, Nops(e)); }) == "kNoSuchEdge");
}

//0 nop / 1 return / 2 astore_1 / 3 nop / 4 aload_1 / 5 athrow
// The handler at 2 protects its own first bytes, as that of a finally or synchronized block does.
TestClass FinallyClass(uint16_t end_of_own_range) {
  TestClass c;
  c.code = {0, 0xb1, 0x4c, 0, 0x2b, 0xbf};
  c.exceptions = {{0, 1, 2, 0}, {2, end_of_own_range, 2, 0}};
  c.attributes = {{"StackMapTable", {0, 1, 66, 7, 0, TestClass::kSuper}}};
  return c;
}

TEST_CASE("a handler's own range leaves out what is inserted into its first block") {
  CHECK(Rewrite(FinallyClass(3), [](MethodEditor& e) { e.OnHandler(2, Nops(e)); }) ==
        "0 nop / 1 return / 2 nop / 3 astore_1 / 4 nop / 5 aload_1 / 6 athrow"
        " | catch 0-1 at 2 | catch 3-4 at 2 | frame 2 same {java/lang/Object}");
  // The same for code in the middle of the block, and if one range covers both body and handler.
  TestClass c = FinallyClass(5);
  c.exceptions = {{0, 5, 2, 0}};
  CHECK(Rewrite(c,
                [](MethodEditor& e) {
                  e.OnHandler(2, Nops(e));
                  e.Before(2, Nops(e));
                  e.Before(4, Nops(e));
                }) ==
        "0 nop / 1 return / 2 nop / 3 nop / 4 astore_1 / 5 nop / 6 nop / 7 aload_1 / 8 athrow"
        " | catch 0-2 at 2 | catch 4-6 at 2 | catch 7-8 at 2"
        " | frame 2 same {java/lang/Object}");
  // Other handlers still cover it.
  c = FinallyClass(3);
  c.exceptions.push_back({2, 5, 5, 0});
  c.attributes = {
      {"StackMapTable", {0, 2, 66, 7, 0, TestClass::kSuper, 66, 7, 0, TestClass::kSuper}}};
  CHECK(Rewrite(c, [](MethodEditor& e) { e.OnHandler(2, Nops(e)); }) ==
        "0 nop / 1 return / 2 nop / 3 astore_1 / 4 nop / 5 aload_1 / 6 athrow"
        " | catch 0-1 at 2 | catch 3-4 at 2 | catch 2-6 at 6"
        " | frame 2 same {java/lang/Object} | frame 6 same {java/lang/Object}");
}

TEST_CASE("where a monitor may be held, a stub and its landing keep the handler's code covered") {
  // 0 aload_0 / 1 monitorenter / 2 nop / 3 return / 4 astore_1 / 5 aload_0 / 6 monitorexit /
  // 7 aload_1 / 8 athrow
  TestClass c;
  c.descriptor = "(Ljava/lang/Object;)V";
  c.code = {0x2a, 0xc2, 0, 0xb1, 0x4c, 0x2a, 0xc3, 0x2b, 0xbf};
  c.exceptions = {{2, 3, 4, 0}, {4, 7, 4, 0}};
  c.attributes = {{"StackMapTable", {0, 1, 68, 7, 0, TestClass::kSuper}}};
  CHECK(Rewrite(c, [](MethodEditor& e) { e.OnHandler(4, Nops(e)); }) ==
        "0 aload_0 / 1 monitorenter / 2 nop / 3 return / 4 astore_1 / 5 aload_0 / 6 monitorexit /"
        " 7 aload_1 / 8 athrow / 9 nop / 10 goto 4 / 13 goto 4"
        " | catch 9-16 at 13 | catch 2-3 at 9 | catch 4-7 at 9"
        " | frame 4 same {java/lang/Object} | frame 9 same {java/lang/Object}"
        " | frame 13 same {java/lang/Object}");
  // Old compilers' handlers do not protect themselves, but still release the monitor.
  c.exceptions = {{2, 3, 4, 0}};
  CHECK(Rewrite(c, [](MethodEditor& e) { e.OnHandler(4, Nops(e)); }) ==
        "0 aload_0 / 1 monitorenter / 2 nop / 3 return / 4 astore_1 / 5 aload_0 / 6 monitorexit /"
        " 7 aload_1 / 8 athrow / 9 nop / 10 goto 4 / 13 goto 4"
        " | catch 9-16 at 13 | catch 2-3 at 9"
        " | frame 4 same {java/lang/Object} | frame 9 same {java/lang/Object}"
        " | frame 13 same {java/lang/Object}");
  // A handler for one class does the same if it protects itself, but only for that class.
  c.exceptions = {{2, 3, 4, TestClass::kSuper}, {4, 7, 4, TestClass::kSuper}};
  CHECK(Rewrite(c, [](MethodEditor& e) { e.OnHandler(4, Nops(e)); }) ==
        "0 aload_0 / 1 monitorenter / 2 nop / 3 return / 4 astore_1 / 5 aload_0 / 6 monitorexit /"
        " 7 aload_1 / 8 athrow / 9 nop / 10 goto 4 / 13 goto 4"
        " | catch 2-3 at 9 type 4 | catch 4-7 at 9 type 4 | catch 9-16 at 13 type 4"
        " | frame 4 same {java/lang/Object} | frame 9 same {java/lang/Object}"
        " | frame 13 same {java/lang/Object}");
  // Another handler that catches only one class needs neither.
  c.exceptions = {{2, 3, 4, TestClass::kSuper}};
  CHECK(Rewrite(c, [](MethodEditor& e) { e.OnHandler(4, Nops(e)); }) ==
        "0 aload_0 / 1 monitorenter / 2 nop / 3 return / 4 nop / 5 astore_1 / 6 aload_0 /"
        " 7 monitorexit / 8 aload_1 / 9 athrow | catch 2-3 at 4 type 4"
        " | frame 4 same {java/lang/Object}");
}

TEST_CASE("between a monitorenter and its range nothing is inserted, not even before a loop") {
  // 0 aload_0 / 1 monitorenter / 2 nop / 3 goto 2 / 6 astore_1 / 7 aload_0 / 8 monitorexit /
  // 9 aload_1 / 10 athrow
  TestClass c;
  c.descriptor = "(Ljava/lang/Object;)V";
  c.code = {0x2a, 0xc2, 0, 0xa7, 0xff, 0xff, 0x4c, 0x2a, 0xc3, 0x2b, 0xbf};
  c.exceptions = {{2, 6, 6, 0}};
  c.attributes = {{"StackMapTable", {0, 2, 2, 67, 7, 0, TestClass::kSuper}}};
  CHECK(Rewrite(c, [](MethodEditor& e) { e.OnEdge(1, kFallThrough, Nops(e)); }) ==
        "0 aload_0 / 1 monitorenter / 2 nop / 3 nop / 4 goto 3 / 7 astore_1 / 8 aload_0 /"
        " 9 monitorexit / 10 aload_1 / 11 athrow | catch 2-7 at 7"
        " | frame 3 same | frame 7 same {java/lang/Object}");
}

TEST_CASE("where a monitor may be held, trampolines are protected like their target") {
  // 0 iload_0 / 1 ifeq 6 / 4 nop / 5 return / 6 aload_1 / 7 monitorenter / 8 return / 9 pop /
  // 10 return
  TestClass c;
  c.descriptor = "(ILjava/lang/Object;)V";
  c.code = {0x1a, 0x99, 0, 5, 0, 0xb1, 0x2b, 0xc2, 0xb1, 0x57, 0xb1};
  c.exceptions = {{6, 9, 9, TestClass::kSuper}, {0, 9, 9, 0}};
  c.attributes = {{"StackMapTable", {0, 2, 6, 66, 7, 0, TestClass::kSuper}}};
  const std::string code =
      "0 iload_0 / 1 ifeq 11 / 4 nop / 5 return / 6 aload_1 / 7 monitorenter / 8 return / 9 pop /"
      " 10 return / 11 nop / 12 goto 6";
  const std::string frames = " | frame 6 same | frame 9 same {java/lang/Object} | frame 11 same";
  // By entries next to the original ones.
  CHECK(
      Rewrite(c, [](MethodEditor& e) { e.OnEdge(1, kTaken, Nops(e)); }) ==
      code +
          " | catch 6-9 at 9 type 4 | catch 11-15 at 9 type 4 | catch 0-9 at 9 | catch 11-15 at 9" +
          frames);
  // Only the source is protected; the trampoline is not.
  c.exceptions = {{0, 6, 9, 0}};
  CHECK(Rewrite(c, [](MethodEditor& e) { e.OnEdge(1, kTaken, Nops(e)); }) ==
        code + " | catch 0-6 at 9" + frames);
}

TEST_CASE(
    "without a monitor no trampoline is protected: it would make a loop of a handler that tries "
    "again") {
  // 0 aload_0 / 1 pop / 2 return / 3 ifnonnull 0 / 6 return
  TestClass c;
  c.descriptor = "(Ljava/lang/Object;)V";
  c.code = {0x2a, 0x57, 0xb1, 0xc7, 0xff, 0xfd, 0xb1};
  c.exceptions = {{0, 2, 3, TestClass::kSuper}, {0, 2, 3, 0}};
  c.attributes = {{"StackMapTable", {0, 3, 0, 66, 7, 0, TestClass::kSuper, 2}}};
  CHECK(Rewrite(c, [](MethodEditor& e) { e.OnEdge(3, kTaken, Nops(e)); }) ==
        "0 aload_0 / 1 pop / 2 return / 3 ifnonnull 7 / 6 return / 7 nop / 8 goto 0"
        " | catch 0-2 at 3 type 4 | catch 0-2 at 3"
        " | frame 0 same | frame 3 same {java/lang/Object} | frame 6 same | frame 7 same");
}

// <init>: 0 aload_0 / 1 invokespecial Object.<init> / 4 nop / 5 return
TestClass ConstructorClass() {
  TestClass c;
  c.name = "<init>";
  c.access = kAccPublic;
  c.max_locals = 1;
  c.code = {0x2a, 0xb7, 0, TestClass::kSuperInit, 0, 0xb1};
  return c;
}

TEST_CASE("catch-all: lowest priority, its own frame, not over code before super()") {
  CHECK(Rewrite(TryClass(), [](MethodEditor& e) { e.CatchAll(Nops(e)); }) ==
        "0 nop / 1 nop / 2 return / 3 pop / 4 return / 5 nop / 6 athrow"
        " | catch 0-2 at 3 | catch 0-5 at 5"
        " | frame 3 same {java/lang/Object} | frame 5 full [] {java/lang/Throwable}");
  CHECK(Rewrite(ConstructorClass(), [](MethodEditor& e) { e.CatchAll(Nops(e)); }) ==
        "0 aload_0 / 1 invokespecial / 4 nop / 5 return / 6 nop / 7 athrow | catch 4-6 at 6"
        " | frame 6 full [] {java/lang/Throwable}");
  TestClass object = ConstructorClass();
  object.has_super = false;  // java.lang.Object itself gets no handler
  ByteVector out;
  Rewrite(
      object, [](MethodEditor& e) { e.CatchAll(Nops(e)); }, nullptr, {}, &out);
  CHECK(out == object.Bytes());
}

TEST_CASE("a constructor's receiver is not an object yet") {
  CHECK(Rewrite(ConstructorClass(), [](MethodEditor& e) {
          e.BeforeCall(1, e.BuildForReceiver().Raw(Op::pop).Finish());
        }) == "kUninitializedReceiver");
}

}  // namespace
}  // namespace iprof::classfile
