// From bytecode to plan and record: small methods assembled by hand.
#include "agent/plan/method_graph.h"

#include <catch2/catch.hpp>
#include <cstring>

namespace iprof::instrument {
namespace {

using classfile::Op;
using classfile::Reason;

struct Entry {
  uint16_t from, to, handler;
};

// A class T of version 49 with one method, static int f(I)I, with this code. Constant 7 is the
// Methodref T.f.
std::vector<uint8_t> ClassWith(const std::vector<uint8_t>& code,
                               const std::vector<Entry>& entries = {}) {
  std::vector<uint8_t> c;
  auto u1 = [&](uint32_t v) { c.push_back(static_cast<uint8_t>(v)); };
  auto u2 = [&](uint32_t v) { u1(v >> 8), u1(v); };
  auto u4 = [&](uint32_t v) { u2(v >> 16), u2(v); };
  auto utf8 = [&](const char* s) {
    u1(1), u2(static_cast<uint32_t>(std::strlen(s)));
    for (; *s != 0; ++s) u1(static_cast<uint8_t>(*s));
  };
  u4(0xCAFEBABE), u2(0), u2(49);
  u2(9);
  utf8("T"), u1(7), u2(1);               // 1, 2: class T
  utf8("f"), utf8("(I)I");               // 3, 4
  utf8("Code");                          // 5
  u1(12), u2(3), u2(4);                  // 6: NameAndType
  u1(10), u2(2), u2(6);                  // 7: Methodref T.f
  utf8("java/lang/Object");              // 8
  u2(0x21), u2(2), u2(0), u2(0), u2(0);  // no superclass is needed for reading
  u2(1), u2(9), u2(3), u2(4), u2(1);
  u2(5), u4(static_cast<uint32_t>(12 + code.size() + 8 * entries.size())), u2(4), u2(4);
  u4(static_cast<uint32_t>(code.size()));
  c.insert(c.end(), code.begin(), code.end());
  u2(static_cast<uint32_t>(entries.size()));
  for (const Entry& e : entries) u2(e.from), u2(e.to), u2(e.handler), u2(0);
  u2(0);
  u2(0);
  return c;
}

struct Method {
  std::vector<uint8_t> bytes;
  classfile::Arena arena;
  classfile::ClassFile file;
  classfile::MethodCode code;
  MethodGraph graph;
  ProbePlanner planner;
  ProbePlan plan;
  MethodRecord record;

  explicit Method(std::vector<uint8_t> class_bytes, PlacementPolicy policy,
                  CalleeNumbers* callees = nullptr)
      : bytes(std::move(class_bytes)) {
    REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
    REQUIRE(code.Decode(file, file.methods()[0], arena) == Reason::kOk);
    REQUIRE(graph.Build(code, arena, {}, callees) == Reason::kOk);
    planner.Plan(graph.graph(), {.policy = policy}, &plan);
    graph.FillRecord(plan, &record);
  }
};

uint8_t B(Op op) { return static_cast<uint8_t>(op); }

// 0 iload_0; 1 ifle 10; 4 iinc 0,-1; 7 goto 0; 10 iload_0; 11 ireturn
std::vector<uint8_t> LoopCode() {
  return {B(Op::iload_0), B(Op::ifle),  0,    9,    B(Op::iinc),    0,
          0xff,           B(Op::goto_), 0xff, 0xf9, B(Op::iload_0), B(Op::ireturn)};
}

TEST_CASE("a loop's branch: original bcis, taken first, two counters under the tree") {
  for (PlacementPolicy policy : {PlacementPolicy::kAutomatic, PlacementPolicy::kDirect}) {
    Method m(ClassWith(LoopCode()), policy);
    REQUIRE(m.record.branches.size() == 1);
    REQUIRE(m.record.branches[0].bci == 1);
    REQUIRE(m.record.branches[0].kind == BranchKind::kIf);
    const auto successors = m.record.SuccessorsOf(0);
    REQUIRE(successors[0].target == 10);
    REQUIRE(successors[1].target == 4);
    REQUIRE(m.plan.probes.size() == (policy == PlacementPolicy::kDirect ? 3u : 2u));
    REQUIRE(m.plan.certificate.kind == Exactness::kExact);  // nothing in it can throw
    // Five calls that loop 30 times in all.
    std::vector<uint64_t> values(m.plan.derivation.value_count());
    for (uint32_t i = 0; i < m.plan.probes.size(); ++i) {
      const EdgeKind kind = m.graph.graph().edge(m.plan.probes[i].edge).kind;
      values[i] = kind == EdgeKind::kEntry || kind == EdgeKind::kTaken ? 5 : 30;
    }
    REQUIRE(Derive(m.record.derivation, values) == 0);
    REQUIRE(values[successors[0].value] == 5);
    REQUIRE(values[successors[1].value] == 30);
  }
}

// 0 iload_0; 1 tableswitch 1..3 -> 28, 30, 28, default 30; 28 iconst_1; 29 ireturn; 30 iconst_0;
// 31 ireturn
TEST_CASE("a tableswitch: keys in order, default last, shared targets told apart") {
  std::vector<uint8_t> code = {B(Op::iload_0), B(Op::tableswitch), 0, 0};
  for (uint32_t v : {29u, 1u, 3u, 27u, 29u, 27u}) {
    for (int shift = 24; shift >= 0; shift -= 8) code.push_back(static_cast<uint8_t>(v >> shift));
  }
  for (Op op : {Op::iconst_1, Op::ireturn, Op::iconst_0, Op::ireturn}) code.push_back(B(op));
  for (PlacementPolicy policy : {PlacementPolicy::kTree, PlacementPolicy::kDirect}) {
    Method m(ClassWith(code), policy);
    REQUIRE(m.record.branches.size() == 1);
    REQUIRE(m.record.branches[0].kind == BranchKind::kSwitch);
    const auto s = m.record.SuccessorsOf(0);
    REQUIRE(s.size() == 4);
    const std::vector<uint32_t> targets = {s[0].target, s[1].target, s[2].target, s[3].target};
    REQUIRE(targets == std::vector<uint32_t>{28, 30, 28, 30});
    REQUIRE(s[0].value != s[2].value);
    REQUIRE(s[1].value != s[3].value);
    // Shared targets: each slot that is counted needs its own trampoline. In the tree the entry is
    // their sum.
    int trampolines = 0;
    for (const Probe& p : m.plan.probes) trampolines += p.at == ProbeAt::kSlot;
    REQUIRE(trampolines == 4);
    REQUIRE(m.plan.probes.size() == (policy == PlacementPolicy::kDirect ? 5u : 4u));
  }
}

// 0 iload_0; 1 ifle 6; 4 iconst_1; 5 ireturn; 6 iconst_0; 7 ireturn
TEST_CASE("a first block that only tests: calls are the sum of its ways out") {
  const std::vector<uint8_t> code = {
      B(Op::iload_0),  B(Op::ifle),   0, 5, B(Op::iconst_1), B(Op::ireturn),
      B(Op::iconst_0), B(Op::ireturn)};
  for (PlacementPolicy policy :
       {PlacementPolicy::kAutomatic, PlacementPolicy::kTree, PlacementPolicy::kArborescence}) {
    Method m(ClassWith(code), policy);
    REQUIRE(m.plan.probes.size() == 2);
    REQUIRE(m.record.entry >= m.plan.counter_count());
    std::vector<uint64_t> values(m.plan.derivation.value_count());
    values[0] = 5;
    values[1] = 7;
    REQUIRE(Derive(m.record.derivation, values) == 0);
    REQUIRE(values[m.record.entry] == 12);
  }
  Method direct(ClassWith(code), PlacementPolicy::kDirect);
  REQUIRE(direct.record.entry == 0);
  REQUIRE(direct.plan.probes.size() == 3);
}

class EveryCallee : public CalleeNumbers {
 public:
  uint32_t NumberOf(const classfile::MethodCode&, classfile::Insn) override { return 77; }
};

// 0 iload_0; 1 ifeq 9; 4 iload_0; 5 invokestatic f; 8 ireturn; 9 iconst_0; 10 ireturn
TEST_CASE("a call site's count is its block's where nothing throws before it") {
  const std::vector<uint8_t> code = {B(Op::iload_0),
                                     B(Op::ifeq),
                                     0,
                                     8,
                                     B(Op::iload_0),
                                     B(Op::invokestatic),
                                     0,
                                     7,
                                     B(Op::ireturn),
                                     B(Op::iconst_0),
                                     B(Op::ireturn)};
  EveryCallee callees;
  Method m(ClassWith(code), PlacementPolicy::kAutomatic, &callees);
  REQUIRE(m.record.calls.size() == 1);
  REQUIRE(m.record.calls[0].bci == 5);
  REQUIRE(m.record.calls[0].callee == 77);
  REQUIRE(m.record.calls[0].value == m.record.SuccessorsOf(0)[1].value);
  REQUIRE(m.plan.probes.size() == 2);
}

//0 iload_0; 1 invokestatic f; 4 ifle 0; 7 iconst_0; 8 ireturn
// The call's block is a loop header.
TEST_CASE("a call in a block with two ways in is counted once for both") {
  const std::vector<uint8_t> code = {
      B(Op::iload_0),  B(Op::invokestatic), 0, 7, B(Op::ifle), 0xff, 0xfc,
      B(Op::iconst_0), B(Op::ireturn)};
  EveryCallee callees;
  for (PlacementPolicy policy : {PlacementPolicy::kTree, PlacementPolicy::kDirect}) {
    Method m(ClassWith(code), policy, &callees);
    REQUIRE(m.record.calls.size() == 1);
    std::vector<uint64_t> values(m.plan.derivation.value_count());
    for (uint32_t i = 0; i < m.plan.probes.size(); ++i) {
      // 10 calls, 90 times back, 10 times out.
      switch (m.graph.graph().edge(m.plan.probes[i].edge).kind) {
        case EdgeKind::kTaken:
          values[i] = 90;
          break;
        case EdgeKind::kInside:
          values[i] = 100;
          break;
        default:
          values[i] = 10;
      }
    }
    Derive(m.record.derivation, values);
    REQUIRE(values[m.record.calls[0].value] == 100);
    REQUIRE(values[m.record.SuccessorsOf(0)[0].value] == 90);
    REQUIRE(values[m.record.SuccessorsOf(0)[1].value] == 10);
  }
}

// 0 iload_0; 1 invokestatic f; 4 invokestatic f; 7 ireturn
TEST_CASE("a call behind one that may throw: counted where it stands, or known within k") {
  const std::vector<uint8_t> code = {
      B(Op::iload_0), B(Op::invokestatic), 0, 7, B(Op::invokestatic), 0, 7, B(Op::ireturn)};
  EveryCallee callees;
  for (PlacementPolicy policy :
       {PlacementPolicy::kAutomatic, PlacementPolicy::kTree, PlacementPolicy::kDirect}) {
    Method m(ClassWith(code), policy, &callees);
    REQUIRE(m.record.calls.size() == 2);
    std::vector<uint64_t> values(m.plan.derivation.value_count());
    for (uint32_t i = 0; i < m.plan.probes.size(); ++i) {
      // Of 10 calls, 4 throw in the first one.
      const CountingEdge& edge = m.graph.graph().edge(m.plan.probes[i].edge);
      values[i] = edge.kind == EdgeKind::kEntry ? 10 : 6;
      if (edge.kind == EdgeKind::kInside) {
        REQUIRE(m.plan.probes[i].at == ProbeAt::kBlockHead);
        REQUIRE(m.code.OffsetOf(m.plan.probes[i].insn) == 4);
      }
    }
    if (m.plan.unwind_counter != kNoCounter) values[m.plan.unwind_counter] = 4;
    Derive(m.record.derivation, values);
    REQUIRE(values[m.record.entry] == 10);
    REQUIRE(values[m.record.calls[0].value] == 10);
    const uint64_t k = BoundOf(m.record.certificate, values, 0).k;
    REQUIRE(k == (policy == PlacementPolicy::kDirect ? 0u : 4u));
    REQUIRE(values[m.record.calls[1].value] - k == 6);
  }
}

// 0 iload_0; 1 invokestatic f; 4 ifle 9; 7 iconst_0; 8 ireturn; 9 iconst_1; 10 ireturn; 11 athrow
TEST_CASE("a call that may throw: unwinds and handler entries make the certificate") {
  const std::vector<uint8_t> code = {B(Op::iload_0),
                                     B(Op::invokestatic),
                                     0,
                                     7,
                                     B(Op::ifle),
                                     0,
                                     5,
                                     B(Op::iconst_0),
                                     B(Op::ireturn),
                                     B(Op::iconst_1),
                                     B(Op::ireturn),
                                     B(Op::athrow)};
  Method m(ClassWith(code, {{0, 4, 11}}), PlacementPolicy::kAutomatic);
  REQUIRE(m.plan.certificate.kind == Exactness::kBounded);
  REQUIRE(m.plan.unwind_counter != kNoCounter);
  REQUIRE(m.plan.certificate.abrupt.size() == 2);
  bool handler = false;
  for (const Probe& p : m.plan.probes) handler |= p.at == ProbeAt::kHandlerEntry;
  REQUIRE(handler);
  Method direct(ClassWith(code, {{0, 4, 11}}), PlacementPolicy::kDirect);
  REQUIRE(direct.plan.unwind_counter == kNoCounter);
  REQUIRE(direct.plan.certificate.kind == Exactness::kExact);
}

// As above, but 11 is pop; 12 goto 7: the method continues after its handler.
TEST_CASE("a call whose exceptions the method goes on from: both ways behind it are counted") {
  const std::vector<uint8_t> code = {B(Op::iload_0),
                                     B(Op::invokestatic),
                                     0,
                                     7,
                                     B(Op::ifle),
                                     0,
                                     5,
                                     B(Op::iconst_0),
                                     B(Op::ireturn),
                                     B(Op::iconst_1),
                                     B(Op::ireturn),
                                     B(Op::pop),
                                     B(Op::goto_),
                                     0xff,
                                     0xfb};
  Method m(ClassWith(code, {{0, 4, 11}}), PlacementPolicy::kAutomatic);
  REQUIRE(m.plan.certificate.kind == Exactness::kExact);
  REQUIRE(m.plan.unwind_counter == kNoCounter);
  REQUIRE(m.plan.derivation.step_end.empty());
  REQUIRE(m.plan.probes.size() == 3);
  REQUIRE(m.record.branches.size() == 1);
}

// 0 jsr 7; 3 iload_0; 4 ireturn; 5 nop; 6 nop; 7 astore_1; 8 iload_0; 9 ifeq 12; 12 ret 1
TEST_CASE("jsr: direct only, branches still there") {
  const std::vector<uint8_t> code = {B(Op::jsr),
                                     0,
                                     7,
                                     B(Op::iload_0),
                                     B(Op::ireturn),
                                     B(Op::iconst_0),
                                     B(Op::ireturn),
                                     B(Op::astore_1),
                                     B(Op::iload_0),
                                     B(Op::ifeq),
                                     0,
                                     3,
                                     B(Op::ret),
                                     1};
  Method m(ClassWith(code), PlacementPolicy::kDirect);
  REQUIRE(m.graph.direct_only());
  REQUIRE(m.record.branches.size() == 1);
  REQUIRE(m.record.SuccessorsOf(0)[0].target == 12);
  REQUIRE(m.plan.probes.size() == 3);
}

}  // namespace
}  // namespace iprof::instrument
