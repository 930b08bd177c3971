// Branches that no longer fit 16 bits: the form that they get, and that the code still does the
// same.
#include "agent/classfile/layout.h"

#include <catch2/catch.hpp>

#include "agent/classfile/test_class.h"
#include "java-tests/native/classfile/checker.h"
#include "java-tests/native/classfile/lockstep.h"
#include "java-tests/native/classfile/random_plan.h"

namespace iprof::classfile {
namespace {

constexpr uint8_t kIfeq = 0x99;
constexpr uint8_t kGoto = 0xa7;
constexpr uint8_t kReturn = 0xb1;

void PutFullFrame(ByteVector* table, uint32_t delta) {
  table->push_back(251);
  PutU2(table, delta);
}

//0 iload_0 / 1 ifeq END / 4 nop × n / goto NEXT… / NEXT: return / END: return
// A forward branch over `distance` bytes. A goto after the first quarter is a place for an island.
TestClass LongForward(uint32_t distance, bool frame_behind_branch) {
  TestClass c;
  c.descriptor = "(I)V";
  const uint32_t end = 1 + distance;
  c.code.assign(end + 1, 0);
  c.code[0] = 0x1a;
  c.code[1] = kIfeq;
  StoreU2(c.code.data() + 2, distance);
  const uint32_t hop = 8000;
  c.code[hop] = kGoto;
  StoreU2(c.code.data() + hop + 1, 3);
  c.code[end - 1] = kReturn;
  c.code[end] = kReturn;
  ByteVector table;
  PutU2(&table, frame_behind_branch ? 3 : 2);
  uint32_t last = 0;
  if (frame_behind_branch) {
    PutFullFrame(&table, 4);
    last = 5;
  }
  PutFullFrame(&table, hop + 3 - last);
  last = hop + 4;
  PutFullFrame(&table, end - last);
  c.attributes = {{"StackMapTable", table}};
  return c;
}

std::string Start(const std::string& text, size_t instructions) {
  size_t at = 0;
  for (size_t k = 0; k < instructions && at != std::string::npos; ++k)
    at = text.find(" / ", at + 1);
  return text.substr(0, at);
}

std::string Frames(const std::string& text) { return text.substr(text.find(" | ")); }

void ExpectSame(const TestClass& source, const ByteVector& result) {
  const ByteVector bytes = source.Bytes();
  Workspace memory;
  const CheckResult check = CheckRewritten(bytes, result, memory);
  INFO(check.problem);
  CHECK(check.ok());
  memory.Reset();
  uint32_t method = 0;
  const LockstepResult walk = WalkClassInLockstep(bytes, result, memory, &method);
  INFO(walk.difference << " at " << walk.original);
  CHECK(walk.ok());
}

TEST_CASE("a conditional branch at its limit stays short, one byte more and it needs help") {
  const TestClass c = LongForward(32766, true);
  ByteVector out;
  CHECK(Start(Rewrite(
                  c, [](MethodEditor& e) { e.Before(3, Nops(e)); }, nullptr, {}, &out),
              2) == "0 iload_0 / 1 ifeq 32768");
  ExpectSame(c, out);
  // Inverted around a goto_w, because the next instruction has a frame.
  const std::string text = Rewrite(
      c, [](MethodEditor& e) { e.Before(3, Nops(e, 2)); }, nullptr, {}, &out);
  CHECK(Start(text, 3) == "0 iload_0 / 1 ifne 9 / 4 goto_w 32774");
  CHECK(Frames(text) == " | frame 9 same | frame 8010 same | frame 32774 same");
  ExpectSame(c, out);
}

TEST_CASE("an inverted branch with code on its fall-through edge gets a frame there") {
  const TestClass c = LongForward(32760, true);
  ByteVector out;
  const std::string text = Rewrite(
      c,
      [](MethodEditor& e) {
        e.Before(3, Nops(e, 10));
        e.OnEdge(1, kFallThrough, Nops(e));
      },
      nullptr, {}, &out);
  CHECK(Start(text, 4) == "0 iload_0 / 1 ifne 9 / 4 goto_w 32777 / 9 nop");
  CHECK(Frames(text) == " | frame 9 same | frame 10 same | frame 8019 same | frame 32777 same");
  ExpectSame(c, out);
}

TEST_CASE("without a frame there, an empty trampoline nearby carries the goto") {
  const TestClass c = LongForward(32760, false);
  ByteVector out;
  const std::string text = Rewrite(
      c, [](MethodEditor& e) { e.Before(3, Nops(e, 20)); }, nullptr, {}, &out);
  // After the goto at 8000 + 20.
  CHECK(Start(text, 2) == "0 iload_0 / 1 ifeq 8023");
  CHECK(text.find("8020 goto 8026 / 8023 goto 32784 / 8026 nop") != std::string::npos);
  CHECK(Frames(text) == " | frame 8023 same | frame 8026 same | frame 32784 same");
  ExpectSame(c, out);
}

TEST_CASE("no frame and nothing to stand behind in reach: the method is left alone") {
  TestClass c = LongForward(32760, false);
  c.code[8000] = c.code[8001] = c.code[8002] = 0;
  ByteVector table;
  PutU2(&table, 1);
  PutFullFrame(&table, 32761);
  c.attributes = {{"StackMapTable", table}};
  // Only the instruction at the end of the code does not fall through, and it is 32,780 bytes away.
  CHECK(Rewrite(c, [](MethodEditor& e) { e.Before(3, Nops(e, 20)); }) == "kBranchTooFar");
  // Old classes need no frames and get the inverted form.
  c.major = 49;
  c.attributes.clear();
  ByteVector out;
  CHECK(Start(Rewrite(
                  c, [](MethodEditor& e) { e.Before(3, Nops(e, 20)); }, nullptr, {}, &out),
              3) == "0 iload_0 / 1 ifne 9 / 4 goto_w 32786");
  ExpectSame(c, out);
}

std::string RewriteSoThatAnIslandIsNeeded(const TestClass& c, ByteVector* out) {
  return Rewrite(
      c,
      [](MethodEditor& e) {
        e.OnEdge(1, kTaken, Nops(e, 2));
        e.Before(3, Nops(e, 1000));
      },
      nullptr, {}, out);
}

TEST_CASE("a trampoline of a far branch stands in an island, ranges are cut around it") {
  TestClass c = LongForward(40000 - 8000, false);
  c.code[31999] = kReturn;
  c.exceptions = {{4, 20000, 32000, 0}};  // the handler is the return before END
  c.attributes[0].second.clear();
  ByteVector table;
  PutU2(&table, 3);
  PutFullFrame(&table, 8003);
  table.insert(table.end(), {247});
  PutU2(&table, 32000 - 8004);
  table.insert(table.end(), {7, 0, TestClass::kSuper});
  PutFullFrame(&table, 0);
  c.attributes = {{"StackMapTable", table}};
  ByteVector out;
  const std::string text = RewriteSoThatAnIslandIsNeeded(c, &out);
  CHECK(Start(text, 2) == "0 iload_0 / 1 ifeq 9003");
  CHECK(text.find("9000 goto 9008 / 9003 nop / 9004 nop / 9005 goto 33006 / 9008 nop") !=
        std::string::npos);
  // The island's target is not protected, so the range excludes the island.
  CHECK(Frames(text).substr(0, 79) ==
        " | catch 4-9003 at 33005 | catch 9008-21005 at 33005 | frame 9003 same | frame ");
  ExpectSame(c, out);
}

TEST_CASE("an island stands behind any instruction that control does not pass") {
  TestClass c = LongForward(32000, false);
  c.major = 49;
  c.attributes.clear();
  c.code[8000] = kReturn;
  c.code[8001] = c.code[8002] = 0;
  ByteVector out;
  const std::string text = RewriteSoThatAnIslandIsNeeded(c, &out);
  CHECK(text.find("9000 return / 9001 nop / 9002 nop / 9003 goto 33006 / 9006 nop") !=
        std::string::npos);
  ExpectSame(c, out);
}

TEST_CASE("backward branches, goto and jsr") {
  TestClass c;
  c.major = 49;
  c.descriptor = "(I)V";
  c.code.assign(32760, 0);
  const auto append = [&](std::initializer_list<uint8_t> bytes) {
    c.code.insert(c.code.end(), bytes);
  };
  append({0x1a, kIfeq});  // ifeq 0
  PutU2(&c.code, static_cast<uint32_t>(-32761));
  append({kGoto});
  PutU2(&c.code, static_cast<uint32_t>(-32764));
  ByteVector out;
  const std::string text = Rewrite(
      c, [](MethodEditor& e) { e.Before(5, Nops(e, 10)); }, nullptr, {}, &out);
  CHECK(text.find("32770 iload_0 / 32771 ifne 32779 / 32774 goto_w 0 / 32779 goto_w 0") !=
        std::string::npos);
  ExpectSame(c, out);
}

TEST_CASE("random insertions, thousands of bytes long, change nothing that the code does") {
  for (const bool frames : {true, false}) {
    const TestClass c = LongForward(30000, frames);
    const ByteVector bytes = c.Bytes();
    Workspace memory;
    uint64_t reasons[kReasonCount] = {};
    for (uint64_t seed = 0; seed < 120; ++seed) {
      memory.Reset();
      const ByteSpan result =
          RewriteRandomly(bytes, seed, RandomStyle::kNops, {0, false}, memory, reasons);
      ByteVector copy(result.begin(), result.end());
      ExpectSame(c, copy);
    }
    CHECK(reasons[static_cast<int>(Reason::kInternal)] == 0);
    CHECK(reasons[static_cast<int>(Reason::kOk)] > 40);
  }
}

// The comparison must be able to fail.
TEST_CASE("lockstep sees a branch that leads elsewhere, a lost handler, another operand") {
  TestClass a;
  a.descriptor = "(I)V";
  a.code = {0x1a, kIfeq, 0, 6, 0x1a, 0x57, kReturn, 0x57, kReturn};
  a.major = 49;
  a.exceptions = {{0, 6, 7, 0}};
  const auto difference = [&](const TestClass& b) {
    const ByteVector x = a.Bytes();
    const ByteVector y = b.Bytes();
    Workspace memory;
    uint32_t method = 0;
    const LockstepResult r = WalkClassInLockstep(x, y, memory, &method);
    return std::string(r.ok() ? "none" : r.difference);
  };
  CHECK(difference(a) == "none");
  TestClass b = a;
  b.code[3] = 5;
  CHECK(difference(b) != "none");
  b = a;
  b.exceptions.clear();
  CHECK(difference(b) == "a handler is missing");
  b = a;
  b.exceptions[0].type = TestClass::kSuper;
  CHECK(difference(b) == "other exception type");
  b = a;
  b.exceptions[0].to = 5;
  CHECK(difference(b) == "a handler is missing");
  b = a;
  b.code[4] = 0x1b;
  CHECK(difference(b) == "other instruction");
}

}  // namespace
}  // namespace iprof::classfile
