// Reads back what the emitter inserts, instruction by instruction.
#include "agent/instrument/probes/probe_emitter.h"

#include <catch2/catch.hpp>
#include <string>

#include "agent/classfile/rewriter.h"
#include "agent/classfile/testing/assembled_class.h"
#include "agent/instrument/probes/inherited_members.h"
#include "agent/plan/method_graph.h"

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
    } else if (op == Op::sipush && i + 1 < code.count() && code.at(i + 1).op == Op::invokestatic) {
      const auto member = code.Member(i + 1);
      REQUIRE(member.has_value());
      text += "hit " + std::to_string(code.Immediate(i)) + " in ";
      text += file.pool().ClassName(member->owner);
      text += "." + std::string(member->name) + std::string(member->descriptor) + "\n";
      i += 1;
    } else {
      text += classfile::OpName(op);
      text += "\n";
    }
  }
  return text;
}

std::string Emitted(const std::vector<uint8_t>& bytes, PlacementPolicy policy, CounterHolder holder,
                    CounterIndex first, ProbeForm form = ProbeForm::kInline) {
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
  EmitProbes(plan, holder, form, first, editor);
  if (!holder.inherited_chunk) {
    for (const auto& piece : editor.pieces())
      CHECK(piece.length == LengthsOf(CounterFormOf(form, holder.striped)).probe);
  }
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
        "count 6 in java/lang/H3.c[J\n"  // the taken branch
        "iload_0\n"
        "ireturn\n");
}

TEST_CASE("stripes: probes are calls; the last index of a chunk fits") {
  const std::string text =
      Emitted(Countdown(), PlacementPolicy::kTree, {"java/lang/S0", true}, CounterIndex{32766});
  CHECK(text.find("hit 32766 in java/lang/S0.hit(I)V\niload_0\n") == 0);
  CHECK(text.find("hit 32767 in java/lang/S0.hit(I)V\n") != std::string::npos);
}

TEST_CASE("inherited members: a field of the class itself for each of the first chunks") {
  const std::string text =
      Emitted(Countdown(), PlacementPolicy::kDirect, {.class_name = "", .inherited_chunk = 3},
              CounterIndex{3 * kChunkCounters + 5});
  const std::string array = " in T." + InheritedFieldName(3) + "[J\n";
  CHECK(text.find("count 5" + array + "iload_0\n") == 0);
  CHECK(text.find("count 7" + array) != std::string::npos);
}

TEST_CASE("inherited members: the arrays of later chunks come from a method; stripes are called") {
  const std::string later =
      Emitted(Countdown(), PlacementPolicy::kDirect, {.class_name = "", .inherited_chunk = 32},
              CounterIndex{32 * kChunkCounters + 5});
  const std::string row = "count 5 in T." + kInheritedRow.Name() + "(I)[J\niload_0\n";
  CHECK(later.find("bipush\n" + row) == 0);
  const std::string striped = Emitted(Countdown(), PlacementPolicy::kDirect,
                                      {.class_name = "", .striped = true, .inherited_chunk = 2},
                                      CounterIndex{2 * kChunkCounters + 5});
  CHECK(striped.find("ldc\ninvokestatic\niload_0\n") == 0);
}

TEST_CASE("compact probes call the holder, striped or not") {
  for (const bool striped : {false, true}) {
    CHECK(Emitted(Countdown(), PlacementPolicy::kDirect, {"java/lang/H", striped},
                  CounterIndex{32765}, ProbeForm::kCompact) ==
          "hit 32765 in java/lang/H.hit(I)V\n"
          "iload_0\n"
          "ifle\n"
          "hit 32767 in java/lang/H.hit(I)V\n"
          "iinc\n"
          "goto\n"
          "hit 32766 in java/lang/H.hit(I)V\n"
          "iload_0\n"
          "ireturn\n");
  }
}

TEST_CASE("compact probes through inherited members push the number among all counters") {
  const std::string count = " in T." + kInheritedCount.Name() + "(I)V\n";
  const std::string early =
      Emitted(Countdown(), PlacementPolicy::kDirect, {.class_name = "", .inherited_chunk = 0},
              CounterIndex{1000}, ProbeForm::kCompact);
  CHECK(early.find("hit 1000" + count + "iload_0\n") == 0);
  const std::string late =
      Emitted(Countdown(), PlacementPolicy::kDirect, {.class_name = "", .inherited_chunk = 40},
              CounterIndex{40 * kChunkCounters + 5}, ProbeForm::kCompact);
  CHECK(late.find("ldc\ninvokestatic\niload_0\n") == 0);
}

TEST_CASE("a tableswitch by its key: one probe before it, counters for all of its slots") {
  // 0 iload_0; 1 tableswitch 500 to 502 (28, 30, 28), default 30; 28 iconst_1; 29 ireturn; …
  const std::vector<uint8_t> bytes = AssembledClass("T")
                                         .Add({.descriptor = "(I)I",
                                               .code = Code({B(Op::iload_0),
                                                             B(Op::tableswitch),
                                                             0,
                                                             0,
                                                             0,
                                                             0,
                                                             0,
                                                             29,
                                                             0,
                                                             0,
                                                             1,
                                                             244,
                                                             0,
                                                             0,
                                                             1,
                                                             246,
                                                             0,
                                                             0,
                                                             0,
                                                             27,
                                                             0,
                                                             0,
                                                             0,
                                                             29,
                                                             0,
                                                             0,
                                                             0,
                                                             27,
                                                             B(Op::iconst_1),
                                                             B(Op::ireturn),
                                                             B(Op::iconst_0),
                                                             B(Op::ireturn)})})
                                         .Bytes();
  classfile::Workspace memory;
  ClassFile file;
  REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
  ClassRewriter rewriter(file, memory);
  MethodCode code;
  REQUIRE(rewriter.Open(0, &code) == Reason::kOk);
  MethodGraph graph;
  REQUIRE(graph.Build(code, memory.method_memory, {}, nullptr) == Reason::kOk);
  graph.CountTablesByKey(2);
  ProbePlanner planner;
  ProbePlan plan;
  planner.Plan(graph.graph(), {.policy = PlacementPolicy::kTree}, &plan);
  CHECK(plan.counter_count() == 1 + 4);
  classfile::MethodEditor editor = rewriter.Edit(code);
  EmitProbes(plan, {"H"}, ProbeForm::kCompact, CounterIndex{100}, editor);
  REQUIRE(rewriter.Apply(editor) == Reason::kOk);
  classfile::Workspace other;
  ClassFile result;
  REQUIRE(result.Parse(rewriter.Finish(), other.class_memory) == Reason::kOk);
  MethodCode made;
  REQUIRE(made.Decode(result, result.methods()[0], other.class_memory) == Reason::kOk);
  std::vector<int32_t> pushed;
  for (classfile::Insn i = 0; made.at(i).op != Op::tableswitch; ++i) {
    if (made.at(i).op == Op::sipush) pushed.push_back(made.Immediate(i));
    if (made.at(i).op == Op::invokestatic && pushed.size() > 1)
      CHECK(made.Member(i)->descriptor == "(IIII)V");
  }
  CHECK(pushed == std::vector<int32_t>{100, 500, 3, 101});
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
