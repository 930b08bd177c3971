// What the emitter inserts, read back instruction by instruction.
#include "agent/instrument/probe_emitter.h"

#include <catch2/catch.hpp>
#include <string>

#include "agent/classfile/rewriter.h"
#include "agent/instrument/assembled_class.h"
#include "agent/instrument/inherited_members.h"
#include "agent/instrument/method_graph.h"

namespace iprof::instrument {
namespace {

using classfile::ClassFile;
using classfile::ClassRewriter;
using classfile::MethodCode;
using classfile::Op;
using classfile::Reason;

// Each probe of rewritten code as "count 5 in java/lang/H.c", all other instructions by name.
std::string Listing(const ClassFile& file, const MethodCode& code) {
  std::string text;
  for (classfile::Insn i = 0; i < code.count(); ++i) {
    const Op op = code.at(i).op;
    if ((op == Op::getstatic || op == Op::invokestatic) && i + 6 < code.count() &&
        code.at(i + 1).op == Op::sipush && code.at(i + 2).op == Op::dup2 &&
        code.at(i + 3).op == Op::laload && code.at(i + 4).op == Op::lconst_1 &&
        code.at(i + 5).op == Op::ladd && code.at(i + 6).op == Op::lastore) {
      const auto member = code.Member(i);
      REQUIRE(member.has_value());
      text += "count " + std::to_string(code.Immediate(i + 1)) + " in ";
      text += file.pool().ClassName(member->owner);
      text += "." + std::string(member->name) + std::string(member->descriptor) + "\n";
      i += 6;
    } else {
      text += classfile::OpName(op);
      text += "\n";
    }
  }
  return text;
}

std::string Emitted(const std::vector<uint8_t>& bytes, PlacementPolicy policy, CounterHolder holder,
                    CounterIndex first) {
  classfile::Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
  ClassRewriter rewriter(file, memory);
  MethodCode code;
  REQUIRE(rewriter.Open(0, &code) == Reason::kOk);
  MethodGraph graph;
  REQUIRE(graph.Build(code, memory.method_memory, {}, nullptr) == Reason::kOk);
  ProbePlanner planner;
  ProbePlan plan;
  planner.Plan(graph.graph(), {.policy = policy, .count_unwinds = graph.can_count_unwinds()},
               &plan);
  classfile::MethodEditor editor = rewriter.Edit(code);
  EmitProbes(plan, holder, first, editor);
  REQUIRE(rewriter.Apply(editor) == Reason::kOk);

  classfile::Workspace other;
  ClassFile result;
  const classfile::ByteSpan rewritten = rewriter.Finish();
  REQUIRE(result.Parse(rewritten, other.class_memory) == Reason::kOk);
  MethodCode result_code;
  REQUIRE(result_code.Decode(result, result.methods()[0], other.class_memory) == Reason::kOk);
  return Listing(result, result_code);
}

std::vector<uint8_t> Countdown() {
  return AssembledClass("T").Add({.descriptor = "(I)I", .code = CountdownCode()}).Bytes();
}

TEST_CASE("direct placement: the entry before the loop, one counter on each way of the branch") {
  CHECK(Emitted(Countdown(), PlacementPolicy::kDirect, {"java/lang/H3"},
                CounterIndex{3 * kChunkCounters + 5}) ==
        "count 5 in java/lang/H3.c[J\n"
        "iload_0\n"
        "ifle\n"
        "count 7 in java/lang/H3.c[J\n"  // the fall-through
        "iinc\n"
        "goto\n"
        "count 6 in java/lang/H3.c[J\n"  // the branch taken
        "iload_0\n"
        "ireturn\n");
}

TEST_CASE("stripes: the array comes from the holder's method; the last index of a chunk fits") {
  const std::string text =
      Emitted(Countdown(), PlacementPolicy::kTree, {"java/lang/S0", true}, CounterIndex{32766});
  CHECK(text.find("count 32766 in java/lang/S0.row()[J\niload_0\n") == 0);
  CHECK(text.find("count 32767 in java/lang/S0.row()[J\n") != std::string::npos);
}

TEST_CASE("inherited members: a field of the class itself for each of the first chunks") {
  const std::string text =
      Emitted(Countdown(), PlacementPolicy::kDirect, {.class_name = "", .inherited_chunk = 3},
              CounterIndex{3 * kChunkCounters + 5});
  const std::string array = " in T." + InheritedFieldName(3) + "[J\n";
  CHECK(text.find("count 5" + array + "iload_0\n") == 0);
  CHECK(text.find("count 7" + array) != std::string::npos);
}

TEST_CASE("inherited members: later chunks and stripes come from a method") {
  const std::string later =
      Emitted(Countdown(), PlacementPolicy::kDirect, {.class_name = "", .inherited_chunk = 32},
              CounterIndex{32 * kChunkCounters + 5});
  const std::string row = "count 5 in T." + kInheritedRow.Name() + "(I)[J\niload_0\n";
  CHECK(later.find("bipush\n" + row) == 0);
  const std::string striped = Emitted(Countdown(), PlacementPolicy::kDirect,
                                      {.class_name = "", .striped = true, .inherited_chunk = 2},
                                      CounterIndex{2 * kChunkCounters + 5});
  CHECK(striped.find("iconst_2\n" + row) == 0);
}

// 0 iload_0; 1 iload_1; 2 idiv; 3 ifle 8; 6 iconst_1; 7 ireturn; 8 iconst_0; 9 ireturn: the
// division may throw before the derived edge is counted.
TEST_CASE("unwinds are counted by a handler that rethrows, at the end") {
  const std::vector<uint8_t> bytes =
      AssembledClass("T")
          .Add({.descriptor = "(II)I",
                .code = Code({B(Op::iload_0), B(Op::iload_1), B(Op::idiv), B(Op::ifle), 0, 5,
                              B(Op::iconst_1), B(Op::ireturn), B(Op::iconst_0), B(Op::ireturn)})})
          .Bytes();
  const std::string text = Emitted(bytes, PlacementPolicy::kTree, {"H"}, CounterIndex{0});
  CHECK(text.ends_with("count 2 in H.c[J\nathrow\n"));
  CHECK(Emitted(bytes, PlacementPolicy::kDirect, {"H"}, CounterIndex{0}).find("athrow") ==
        std::string::npos);
}

}  // namespace
}  // namespace iprof::instrument
