// Decodes instructions and builds the graph of basic blocks.
#include "agent/classfile/code.h"

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "agent/classfile/constructor.h"
#include "agent/classfile/control_flow_graph.h"
#include "agent/classfile/descriptor.h"
#include "agent/classfile/stack_depth.h"
#include "agent/classfile/test_class.h"

namespace iprof::classfile {
namespace {

struct Opened {
  explicit Opened(const TestClass& source) : bytes(source.Bytes()) {
    reason = file.Parse(bytes, memory.class_memory);
    if (reason == Reason::kOk) {
      reason = code.Decode(file, file.methods()[0], memory.method_memory);
    }
  }
  ByteVector bytes;
  Workspace memory;
  ClassFile file;
  MethodCode code;
  Reason reason;
};

std::string Decoded(ByteVector code) {
  TestClass c;
  c.code = std::move(code);
  return ReasonName(Opened(c).reason);
}

TEST_CASE("every opcode is decoded with its length") {
  for (int op = 0; op < kOpCount; ++op) {
    const OpInfo& info = kOpInfo[static_cast<size_t>(op)];
    if (info.length == 0 || info.format == Format::kBranch2 || info.format == Format::kBranch4) {
      continue;
    }
    ByteVector code(info.length, 0);
    code[0] = static_cast<uint8_t>(op);
    code.push_back(0xb1);
    INFO(OpName(static_cast<Op>(op)));
    TestClass c;
    c.code = code;
    const Opened opened(c);
    CHECK(opened.reason == Reason::kOk);
    CHECK(opened.code.count() == 2);
  }
}

TEST_CASE("damaged code is refused by name") {
  CHECK(Decoded({}) == std::string("kBadCodeAttribute"));
  CHECK(Decoded({202, 0xb1}) == std::string("kBadInstruction"));
  CHECK(Decoded({0xb1, 0x11, 0}) == std::string("kBadInstruction"));           // truncated sipush
  CHECK(Decoded({0xc4, 0x00, 0, 0, 0xb1}) == std::string("kBadInstruction"));  // wide nop
  CHECK(Decoded({0xaa, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}) ==
        std::string("kBadInstruction"));  // tableswitch with low above high
  CHECK(Decoded({0xab, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff}) ==
        std::string("kBadInstruction"));  // lookupswitch with 2^31-1 pairs
  CHECK(Decoded({0xa7, 0, 1}) == std::string("kBadBranch"));
  CHECK(Decoded({0xa7, 0xff, 0xff}) == std::string("kBadBranch"));
  CHECK(Decoded({0x00}) == std::string("kFallsOffEnd"));
  TestClass c;
  c.code = {0x11, 0, 0, 0x57, 0xb1};
  for (const TestException e :
       {TestException{0, 1, 3}, TestException{1, 3, 3}, TestException{0, 3, 2},
        TestException{3, 3, 3}, TestException{0, 6, 3}, TestException{0, 3, 5}}) {
    c.exceptions = {e};
    CHECK(Opened(c).reason == Reason::kBadExceptionTable);
  }
}

TEST_CASE("a constant that the class does not have would be one of ours: refused") {
  TestClass c;
  c.code = {0xb1};
  const auto last = static_cast<uint8_t>(Opened(c).file.pool().count() - 1);
  const auto beyond = static_cast<uint8_t>(last + 1);
  for (const Op named :
       {Op::ldc_w, Op::ldc2_w, Op::getstatic, Op::invokestatic, Op::invokeinterface,
        Op::invokedynamic, Op::new_, Op::checkcast, Op::multianewarray}) {
    INFO(OpName(named));
    const auto op = static_cast<uint8_t>(named);
    CHECK(Decoded({op, 0, beyond, 0, 0, 0xb1}) == std::string("kBadConstantReference"));
    CHECK(Decoded({op, 0, last, 0, 0, 0xb1}) == std::string("kOk"));
  }
  CHECK(Decoded({0x12, beyond, 0xb1}) == std::string("kBadConstantReference"));  // ldc
  CHECK(Decoded({0x12, last, 0xb1}) == std::string("kOk"));
  CHECK(Decoded({0x11, 0xff, 0xff, 0xb1}) == std::string("kOk"));  // sipush names no constant
  c.code = {0x00, 0xb1};
  c.exceptions = {{0, 1, 1, beyond}};
  CHECK(Opened(c).reason == Reason::kBadExceptionTable);
  c.exceptions = {{0, 1, 1, last}};
  CHECK(Opened(c).reason == Reason::kOk);
  c.exceptions.clear();
  const auto frame_of = [&](uint8_t type) {
    c.attributes = {{"StackMapTable", {0, 1, 65, 7, 0, type}}};
    Opened opened(c);
    FrameTable frames;
    return frames.Read(opened.code, opened.memory.method_memory);
  };
  // The attribute's name adds one constant.
  CHECK(frame_of(beyond) == Reason::kOk);
  CHECK(frame_of(static_cast<uint8_t>(beyond + 1)) == Reason::kBadFrames);
}

TEST_CASE("operands, wide ones too") {
  TestClass c;
  // bipush -3 / sipush -300 / iload 7 / wide iload 300 / iinc 7 -1 / wide iinc 300 -300 / aload_2 /
  // astore_3 / getstatic / return
  c.code = {0x10, 0xfd, 0x11, 0xfe, 0xd4, 0x15, 7,    0xc4, 0x15, 1,    44, 0x84, 7,
            0xff, 0xc4, 0x84, 1,    44,   0xfe, 0xd4, 0x2c, 0x4e, 0xb2, 0,  18,   0xb1};
  const Opened o(c);
  REQUIRE(o.reason == Reason::kOk);
  CHECK(o.code.Immediate(0) == -3);
  CHECK(o.code.Immediate(1) == -300);
  CHECK(o.code.Local(2) == 7);
  CHECK(o.code.Local(3) == 300);
  CHECK(o.code.Local(4) == 7);
  CHECK(o.code.Immediate(4) == -1);
  CHECK(o.code.Local(5) == 300);
  CHECK(o.code.Immediate(5) == -300);
  CHECK(o.code.Local(6) == 2);
  CHECK(o.code.Local(7) == 3);
  REQUIRE(o.code.Member(8).has_value());
  CHECK(o.code.Member(8)->name == "f");
  CHECK(o.code.Member(8)->descriptor == "J");
}

std::string GraphText(const TestClass& source) {
  Opened o(source);
  ControlFlowGraph graph;
  if (o.reason == Reason::kOk) o.reason = graph.Build(o.code, o.memory.method_memory);
  if (o.reason != Reason::kOk) return ReasonName(o.reason);
  std::string text;
  for (const Block& b : graph.blocks()) {
    text += fmt::format("[{}-{}{}{}{}", o.code.OffsetOf(b.first), o.code.OffsetOf(b.end),
                        b.is_handler ? " handler" : "", b.is_exit ? " exit" : "",
                        b.reachable ? "" : " dead");
    for (const Edge& e : graph.EdgesOf(b)) {
      static constexpr const char* kKinds[] = {"fall", "jump", "key", "default", "exception"};
      text += fmt::format(" {}{}->{}", kKinds[static_cast<int>(e.kind)], e.slot, e.to);
    }
    text += "]";
  }
  return text;
}

TEST_CASE("branches and switches are listed, ret is seen wherever it stands") {
  TestClass c;
  c.code = {0x99, 0,    5,                                // 0 ifeq 5
            0,    0xb1,                                   // 3 nop / 4 return
            0x1a, 0xaa, 0,                                // 5 iload_0 / 6 tableswitch
            0,    0,    0,    18,   0,    0,    0,   0,   // default 24, low 0
            0,    0,    0,    0,    0,    0,    0,   19,  // high 0, 0: 25
            0,    0xc8, 0xff, 0xff, 0xff, 0xe7, 0xb1};    // 24 nop / 25 goto_w 0 / 30 return
  const Opened opened(c);
  REQUIRE(opened.reason == Reason::kOk);
  std::vector<uint32_t> offsets;
  for (const Insn i : opened.code.jumps()) offsets.push_back(opened.code.OffsetOf(i));
  CHECK(offsets == std::vector<uint32_t>{0, 6, 25});
  CHECK_FALSE(opened.code.has_jsr());
  CHECK(Decoded({0xb1, 0xa7, 0}) == std::string("kBadInstruction"));  // truncated goto
  c.code = {0xa8, 0, 3, 0xb1};
  CHECK(Opened(c).code.has_jsr());
  c.code = {0xc9, 0, 0, 0, 5, 0xb1};
  CHECK(Opened(c).code.has_jsr());
  c.code = {0xa9, 1};
  CHECK(Opened(c).code.has_jsr());
  c.code = {0xc4, 0xa9, 0, 1};
  CHECK(Opened(c).code.has_jsr());
  c.code = {0xb1};
  CHECK(Opened(c).code.jumps().empty());
}

TEST_CASE("the graph of a loop with a handler and dead code") {
  TestClass c;
  c.descriptor = "(I)V";
  // 0 iload_0 / 1 ifeq 7 / 4 goto 0 / 7 return / 8 pop / 9 return / 10 return
  c.code = {0x1a, 0x99, 0, 6, 0xa7, 0xff, 0xfc, 0xb1, 0x57, 0xb1, 0xb1};
  c.exceptions = {{4, 7, 8, 0}};
  CHECK(GraphText(c) ==
        "[0-4 fall0->1 jump1->2][4-7 jump1->0 exception0->3][7-8 exit][8-10 handler exit]"
        "[10-11 exit dead]");
}

TEST_CASE("switch edges: one per key, shared targets apart") {
  TestClass c;
  c.descriptor = "(I)V";
  // 0 iload_0 / 1 lookupswitch -1:28 9:28 else:29
  c.code = {0x1a, 0xab, 0, 0, 0,  0, 0, 28, 0, 0, 0, 2, 0xff, 0xff, 0xff,
            0xff, 0,    0, 0, 27, 0, 0, 0,  9, 0, 0, 0, 27,   0xb1, 0xb1};
  CHECK(GraphText(c) == "[0-28 default0->2 key1->1 key2->1][28-29 exit][29-30 exit]");
}

TEST_CASE("jsr: the graph goes to the subroutine, what follows is alive") {
  TestClass c;
  c.major = 49;
  c.code = {0xa8, 0, 4, 0xb1, 0x4b, 0xa9, 0};
  CHECK(GraphText(c) == "[0-3 jump1->2][3-4 exit][4-7 exit]");
  CHECK(Opened(c).code.has_jsr());
}

TEST_CASE("stack depths") {
  TestClass c;
  c.max_stack = 5;
  // lconst_0 / iconst_0 / pop / pop2 / aload_0 / lconst_0 / iconst_0 … call(IJ)V has five slots
  c.code = {0x01, 0x03, 0x09, 0xb6, 0, TestClass::kVirtual, 0xb1};
  Opened o(c);
  FrameTable frames;
  SlotCache cache(o.file.pool(), o.memory.class_memory);
  StackDepths depths;
  REQUIRE(depths.Compute(o.code, frames, cache, o.memory.method_memory) == Reason::kOk);
  CHECK(depths.At(2) == 2);
  CHECK(depths.At(3) == 4);
  CHECK(depths.At(4) == 0);
  c.max_stack = 3;
  Opened small(c);
  SlotCache small_cache(small.file.pool(), small.memory.class_memory);
  CHECK(depths.Compute(small.code, frames, small_cache, small.memory.method_memory) ==
        Reason::kBadStack);
  c.code = {0x57, 0xb1};
  Opened underflow(c);
  CHECK(depths.Compute(underflow.code, frames, cache, underflow.memory.method_memory) ==
        Reason::kBadStack);
}

TEST_CASE("constructors: what may run before super()") {
  TestClass c;
  c.name = "<init>";
  c.access = 0;
  c.descriptor = "(I)V";
  // 0 aload_0 / 1 new Object / 4 dup / 5 invokespecial Object.<init> / 8 pop / 9 iload_1 /
  // 10 ifeq 13 / 13 invokespecial Object.<init> / 16 nop / 17 return
  c.code = {0x2a, 0xbb, 0, 4, 0x59, 0xb7, 0, 14, 0x57, 0x1b, 0x99, 0, 3, 0xb7, 0, 14, 0, 0xb1};
  Opened o(c);
  BeforeSuper before;
  REQUIRE(before.Compute(o.code, o.memory.method_memory) == Reason::kOk);
  std::string text;
  for (Insn i = 0; i < o.code.count(); ++i) text += before.At(i) ? 'b' : '.';
  CHECK(text == "bbbbbbbb..");
}

TEST_CASE("descriptors") {
  const auto slots = [](const char* d) {
    const MethodSlots s = CountSlots(d);
    return s.ok ? fmt::format("{} {}", s.arguments, s.result) : std::string("malformed");
  };
  CHECK(slots("()V") == "0 0");
  CHECK(slots("(IJ[JDLjava/lang/String;[[LX;Z)D") == "9 2");
  for (const char* bad :
       {"", "(", "()", "(I", "(V)V", "(L;)V", "(Lx)V", "()VV", "([)V", "()[V", "I"}) {
    INFO(bad);
    CHECK(slots(bad) == "malformed");
  }
  CHECK(FieldSlots("J") == 2);
  CHECK(FieldSlots("[J") == 1);
  CHECK(FieldSlots("V") == -1);
  CHECK(FieldSlots("JJ") == -1);
}

}  // namespace
}  // namespace iprof::classfile
