// Methods without room for all of their probes.
#include <catch2/catch.hpp>

#include "agent/classfile/rewriter.h"
#include "agent/classfile/testing/assembled_class.h"
#include "agent/instrument/register_budget.h"
#include "agent/instrument/test_instrumenter.h"

namespace iprof::instrument {
namespace {

using classfile::Op;

// As many ifs as fit into `size` bytes of code. Each one is iload_0 and an ifle to the next.
Bytes ManyIfs(size_t size) {
  Bytes code;
  while (code.size() + 6 <= size) {
    code.insert(code.end(),
                {static_cast<uint8_t>(Op::iload_0), static_cast<uint8_t>(Op::ifle), 0, 3});
  }
  code.push_back(static_cast<uint8_t>(Op::iload_0));
  code.push_back(static_cast<uint8_t>(Op::ireturn));
  return code;
}

size_t CodeSizeOf(const Bytes& bytes) {
  classfile::Arena arena;
  classfile::ClassFile file;
  classfile::MethodCode code;
  REQUIRE(file.Parse(bytes, arena) == classfile::Reason::kOk);
  REQUIRE(code.Decode(file, file.methods()[0], arena) == classfile::Reason::kOk);
  return code.code().size();
}

TEST_CASE("a method that would become too long to compile gets less counting, then none") {
  const auto instrumented = [](size_t size, Instrumenter& made) {
    const Bytes result =
        made.Run(AssembledClass("a/T").Add({.descriptor = "(I)I", .code = ManyIfs(size)}).Bytes());
    if (result.empty()) return size_t{0};
    CHECK(CodeSizeOf(result) <= 8000);
    return CodeSizeOf(result);
  };
  const auto lighter = [](int shorter, int trimmed, int calls) {
    return "methods: 1 counted; because of their length or monitors, " + std::to_string(shorter) +
           " with shorter probes, " + std::to_string(trimmed) +
           " of these without some branches or receivers, and " + std::to_string(calls) +
           " with calls only";
  };
  const InstrumenterOptions direct = Placed(PlacementPolicy::kDirect);
  Instrumenter small(direct), shorter(direct), tree(direct), part(direct), calls(direct),
      none(direct);
  CHECK(instrumented(402, small) > 402);
  CHECK(small.Reports(lighter(0, 0, 0)));
  CHECK(instrumented(1202, shorter) > 1202);
  CHECK(shorter.Reports(lighter(1, 0, 0)));
  CHECK(shorter.counters() == 1 + 2 * 300);
  // With tree placement everything fits: one counter per if.
  CHECK(instrumented(1702, tree) > 1702 + 6 * 425);
  CHECK(tree.counters() == 1 + 425);
  CHECK(tree.Reports(lighter(1, 0, 0)));
  // One more if would not fit.
  CHECK(instrumented(6002, part) + 6 > 8000);
  CHECK(part.Reports(lighter(1, 1, 0)));
  CHECK(instrumented(7990, calls) == 7990 + 6);
  CHECK(calls.Reports(lighter(0, 0, 1)));
  CHECK(instrumented(7998, none) == 0);
  CHECK(none.Reports("methods: 0 counted"));
}

InstrumenterOptions Unlimited() {
  InstrumenterOptions options;
  options.huge_method_limit = 0;
  return options;
}

TEST_CASE("a method of exactly the limit is left as it is, a longer one is counted in full") {
  Instrumenter limit, longer, lifted(Unlimited());
  const auto growth = [](size_t size, Instrumenter& made) {
    const Bytes result =
        made.Run(AssembledClass("a/T").Add({.descriptor = "(I)I", .code = ManyIfs(size)}).Bytes());
    return CodeSizeOf(result) - size;
  };
  Bytes exact = ManyIfs(7998);
  exact.insert(exact.begin(), 2, B(Op::nop));
  CHECK(
      limit.Run(AssembledClass("a/T").Add({.descriptor = "(I)I", .code = exact}).Bytes()).empty());
  CHECK(growth(8002, longer) >= 11 * 2001);
  CHECK(growth(6002, lifted) >= 11 * 1501);
}

TEST_CASE("a method with less counting keeps it, and its counters, when it is loaded again") {
  Instrumenter made(Placed(PlacementPolicy::kDirect));
  for (const size_t size : {size_t{1202}, size_t{1702}, size_t{6002}, size_t{7990}}) {
    const Bytes input = AssembledClass("a/T" + std::to_string(size))
                            .Add({.descriptor = "(I)I", .code = ManyIfs(size)})
                            .Add({.name = "g", .descriptor = "(I)I", .code = CountdownCode()})
                            .Bytes();
    const Bytes first = made.Run(input);
    const uint64_t counters = made.counters();
    REQUIRE_FALSE(first.empty());
    CHECK(made.Run(input) == first);
    CHECK(made.counters() == counters);
  }
}

// Counts receivers in a method with one call and `padding` more bytes; returns the class file.
std::string WithOneCall(size_t padding, uint32_t stripes) {
  InstrumenterOptions options;
  options.sites.receivers = true;
  options.stripes = stripes;
  CounterSpace sites(8192);
  sites.Configure(1, [] {});
  sites.SetReady(1);
  Instrumenter made(options);
  made.instrumenter.UseSites(sites, 8192, [](uint32_t) { return "S"; });
  AssembledClass c("a/T");
  const int ref = c.MethodRef("b/U", "run", "()V");
  Bytes code(padding, B(Op::nop));
  for (const int b : {B(Op::aload_0), B(Op::invokevirtual), ref >> 8, ref & 255, B(Op::return_)})
    code.push_back(static_cast<uint8_t>(b));
  const Bytes result = made.Run(c.Add({.descriptor = "(Lb/U;)V", .code = code}).Bytes());
  return {result.begin(), result.end()};
}

TEST_CASE("C1 inlines methods of 35 bytes: their sites call a method that C1 does not inline") {
  // The code has 5 bytes besides the padding, and the site's probe 7.
  for (const auto& [stripes, entry] : {std::pair{1u, size_t{11}}, {4u, size_t{6}}}) {
    const size_t most = 35 - 12 - entry;
    CAPTURE(stripes, most);
    CHECK(WithOneCall(most, stripes).find("meet") != std::string::npos);
    CHECK(WithOneCall(most + 1, stripes).find("meet") == std::string::npos);
  }
}

// Ifs, each around a call, up to about `size` bytes; then a call, and a tableswitch of ten cases
// that loops back.
Bytes IfsAndCalls(AssembledClass& c, size_t size) {
  const int ref = c.MethodRef("b/U", "run", "()V");
  Bytes code;
  const auto add = [&](std::initializer_list<int> bytes) {
    for (const int b : bytes) code.push_back(static_cast<uint8_t>(b));
  };
  while (code.size() + 80 <= size)
    add({B(Op::iload_0), B(Op::ifle), 0, 7, B(Op::aload_1), B(Op::invokevirtual), ref >> 8,
         ref & 255});
  add({B(Op::aload_1), B(Op::invokevirtual), ref >> 8, ref & 255, B(Op::iload_0)});
  const int at = static_cast<int>(code.size());
  add({B(Op::tableswitch)});
  while (code.size() % 4 != 0) add({0});
  const int end = static_cast<int>(code.size()) + 12 + 40 - at;
  add({0, 0, 0, end, 0, 0, 0, 0, 0, 0, 0, 9});
  for (int i = 0; i < 9; ++i) add({0, 0, 0, end});
  add({255, 255, 255, 251});  // back to the call
  add({B(Op::iload_0), B(Op::ireturn)});
  return code;
}

TEST_CASE("receivers go site by site, and a class that is loaded again keeps those that stayed") {
  InstrumenterOptions options;
  options.sites.receivers = true;
  CounterSpace sites(8192);
  sites.Configure(1, [] {});
  sites.SetReady(1);
  Instrumenter made(options);
  made.instrumenter.UseSites(sites, 8192, [](uint32_t) { return "S"; });
  AssembledClass c("a/T");
  const Bytes code = IfsAndCalls(c, 5000);
  const Bytes input = c.Add({.descriptor = "(ILb/U;)I", .code = code}).Bytes();
  const Bytes first = made.Run(input);
  REQUIRE_FALSE(first.empty());
  CHECK(CodeSizeOf(first) <= 8000);
  // The budget of bytes or of registers is used up.
  constexpr uint32_t all = (5000 - 80) / 8 + 2;
  const RegisterCosts costs = RegisterCostsOf(ProbeForm::kCompact, false, false);
  const uint64_t used = sites.statistics().counters * costs.site + made.counters() * costs.counter;
  CHECK((CodeSizeOf(first) + 16 > 8000 ||
         used + costs.site > RegisterBudget(static_cast<uint32_t>(code.size()), all)));
  const uint64_t counters = made.counters();
  const uint64_t kept = sites.statistics().counters;
  CHECK(kept > 0);
  CHECK(kept < all);
  CHECK(made.Run(input) == first);
  CHECK(made.counters() == counters);
  CHECK(sites.statistics().counters == kept);
  // The report says what was left out.
  Assembled(made, std::vector<uint64_t>(counters));
  CHECK(made.Reports("left out because 1 method is long: [0-9]+ branches, " +
                     std::to_string(all - kept) + " receivers"));
  CHECK(made.Reports("left out: a.T.f\\(int, b.U\\) \\(0 calls\\): [0-9]+ of 617 branches"));
}

}  // namespace
}  // namespace iprof::instrument
