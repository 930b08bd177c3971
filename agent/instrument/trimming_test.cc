// What is dropped from a method without enough room, and what is kept.
#include "agent/instrument/trimming.h"

#include <catch2/catch.hpp>

#include "agent/classfile/rewriter.h"
#include "agent/classfile/testing/assembled_class.h"
#include "agent/instrument/probes/probe_emitter.h"

namespace iprof::instrument {
namespace {

using classfile::Op;
using classfile::Reason;
using Bytes = std::vector<uint8_t>;

const ProbeLengths kLengths = LengthsOf(ProbeForm::kCompact);
const RegisterCosts kRegisterCosts = RegisterCostsOf(ProbeForm::kCompact, true, false);
constexpr int kIfs = 40;
constexpr int kCases = 10;

void Add(Bytes& code, std::initializer_list<int> bytes) {
  for (const int b : bytes) code.push_back(static_cast<uint8_t>(b));
}

// static int f(int, Object): forty ifs, each around a call of toString; then a loop with an if, a
// call, and a switch whose ten cases all leave the loop.
Bytes OneOfEach(AssembledClass& c) {
  const int ref = c.MethodRef("java/lang/Object", "toString", "()Ljava/lang/String;");
  Bytes code;
  for (int i = 0; i < kIfs; ++i) {
    Add(code, {B(Op::iload_0), B(Op::ifle), 0, 8});
    Add(code, {B(Op::aload_1), B(Op::invokevirtual), ref >> 8, ref & 255, B(Op::pop)});
  }
  const int loop = static_cast<int>(code.size());
  Add(code, {B(Op::aload_1), B(Op::invokevirtual), ref >> 8, ref & 255, B(Op::pop)});
  Add(code, {B(Op::iinc), 0, 255, B(Op::iload_0), B(Op::ifgt), 0, 6, B(Op::iinc), 0, 1});
  Add(code, {B(Op::iload_0)});
  const int at = static_cast<int>(code.size());
  Add(code, {B(Op::tableswitch)});
  while (code.size() % 4 != 0) code.push_back(0);
  const auto u4 = [&](int v) { Add(code, {v >> 24 & 255, v >> 16 & 255, v >> 8 & 255, v & 255}); };
  const int end = static_cast<int>(code.size()) + 12 + 4 * kCases;
  u4(loop - at);
  u4(0);
  u4(kCases - 1);
  for (int i = 0; i < kCases; ++i) u4(end - at);
  Add(code, {B(Op::iload_0), B(Op::ireturn)});
  return code;
}

struct Method {
  Bytes bytes;
  classfile::Workspace memory;
  classfile::ClassFile file;
  classfile::MethodCode code;
  MethodGraph graph;
  ProbePlanner planner;
  ProbePlan plan;
  std::vector<FoundSite> sites;
  LeftOut left_out;
  bool fits = false;

  explicit Method(uint32_t budget, PlacementPolicy policy = PlacementPolicy::kTree,
                  ProbeLengths lengths = kLengths, uint32_t register_budget = UINT32_MAX) {
    AssembledClass c("a/T");
    Bytes made = OneOfEach(c);
    bytes = c.Add({.descriptor = "(ILjava/lang/Object;)I", .code = made}).Bytes();
    REQUIRE(file.Parse(bytes, memory.class_memory) == Reason::kOk);
    classfile::ClassRewriter rewriter(file, memory);
    REQUIRE(rewriter.Open(0, &code) == Reason::kOk);
    REQUIRE(graph.Build(code, memory.method_memory, {}, nullptr) == Reason::kOk);
    FindSites(code, {.receivers = true}, memory.method_memory, &sites);
    classfile::MethodEditor scratch = rewriter.Edit(code);
    Trimmer::Input input{.graph = graph,
                         .planner = planner,
                         .options = {.policy = policy},
                         .site_lengths = SiteProbeLengths(sites, false, scratch),
                         .lengths = lengths,
                         .budget = budget,
                         .register_costs = kRegisterCosts,
                         .register_budget = register_budget};
    Trimmer trimmer;
    fits = trimmer.Trim(input, &plan, &sites, &left_out);
  }

  uint32_t bytes_used() const {
    return SizeOf(plan, kLengths).most_bytes + 7 * static_cast<uint32_t>(sites.size());
  }
  MethodRecord record() const {
    MethodRecord record;
    graph.FillRecord(plan, &record);
    return record;
  }
  bool has(BranchKind kind) const {
    for (const BranchSite& b : record().branches) {
      if (b.kind == kind) return true;
    }
    return false;
  }
};

TEST_CASE("with room enough nothing is left out") {
  const Method method(8000);
  CHECK(method.fits);
  CHECK_FALSE(method.left_out.any());
  CHECK(method.left_out.all_branches == kIfs + 2);
  CHECK(method.left_out.all_sites == kIfs + 1);
  CHECK(method.record().branches.size() == kIfs + 2);
}

TEST_CASE("less and less room: it is used, and more is left out") {
  uint32_t kept_before = UINT32_MAX;
  for (uint32_t budget = 540; budget >= 40; budget -= 20) {
    const Method method(budget);
    CAPTURE(budget, method.bytes_used());
    REQUIRE(method.fits);
    CHECK(method.bytes_used() <= budget);
    CHECK(method.left_out.any());
    CHECK(method.bytes_used() + 2 * kLengths.by_key > budget);
    const uint32_t kept = method.left_out.all_branches - method.left_out.branches +
                          method.left_out.all_sites - method.left_out.sites;
    CHECK(kept <= kept_before);
    kept_before = kept;
    // What is reported as left out is not in the record; everything else is.
    CHECK(method.record().branches.size() ==
          method.left_out.all_branches - method.left_out.branches);
    CHECK(method.sites.size() == method.left_out.all_sites - method.left_out.sites);
    for (const BranchSuccessor& s : method.record().successors) CHECK(s.value != kNoValue);
  }
}

TEST_CASE("a switch in a loop stays longest; the loop's call stays before those outside") {
  for (const auto policy : {PlacementPolicy::kTree, PlacementPolicy::kDirect}) {
    const Method method(200, policy);
    REQUIRE(method.fits);
    CHECK(method.has(BranchKind::kSwitch));
    REQUIRE_FALSE(method.sites.empty());
    CHECK(method.code.OffsetOf(method.sites.back().insn) > 9 * kIfs);
  }
}

TEST_CASE("a switch of many cases takes one probe, with a counter for each") {
  const Method method(6 + 13 + 13);
  REQUIRE(method.fits);
  REQUIRE(method.has(BranchKind::kSwitch));
  CHECK(method.plan.counter_count() > kCases);
  CHECK(method.bytes_used() <= 6 + 13 + 13);
}

TEST_CASE("what does not fit is passed over for what does") {
  const Method method(30, PlacementPolicy::kTree, {.probe = 6, .by_key = 40});
  REQUIRE(method.fits);
  CHECK_FALSE(method.has(BranchKind::kSwitch));
  CHECK(method.has(BranchKind::kIf));
}

TEST_CASE("the same budget gives the same plan") {
  const Method first(300), second(300);
  CHECK(first.record() == second.record());
  CHECK(first.plan.probes.size() == second.plan.probes.size());
}

TEST_CASE("C1's registers are a limit, too") {
  for (const uint32_t registers : {600u, 300u, 150u}) {
    const Method method(8000, PlacementPolicy::kTree, kLengths, registers);
    REQUIRE(method.fits);
    CHECK(method.left_out.any());
    const uint32_t used = SizeOf(method.plan, kLengths).increments * kRegisterCosts.counter +
                          static_cast<uint32_t>(method.sites.size()) * kRegisterCosts.site;
    CHECK(used <= registers);
    CHECK(used + kRegisterCosts.counter > registers);
  }
}

TEST_CASE("striped probes are calls, which take the same registers everywhere") {
  for (const bool inherited : {false, true}) {
    for (const ProbeForm form : {ProbeForm::kInline, ProbeForm::kCompact})
      CHECK(RegisterCostsOf(form, inherited, true).counter == 10);
  }
}

TEST_CASE("probes that C1 has to inline take more registers") {
  const auto costs = [](bool inherited, bool striped) {
    return RegisterCostsOf(ProbeForm::kCompact, inherited, striped);
  };
  CHECK(costs(true, false).counter > costs(false, false).counter);
  CHECK(RegisterCostsOf(ProbeForm::kInline, true, false).counter < costs(false, false).counter);
  CHECK(RegisterCostsOf(ProbeForm::kInline, false, false).site > 4 * costs(false, false).site);
  CHECK(RegisterBudget(100, 0) > RegisterBudget(8000, 0));
  CHECK(RegisterBudget(2000, 0) > RegisterBudget(2000, 100));
  CHECK(RegisterBudget(65535, 1000) > 0);
}

TEST_CASE("no room for anything") { CHECK_FALSE(Method(3).fits); }

}  // namespace
}  // namespace iprof::instrument
