#include "agent/harvest/complete_counts.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "agent/harvest/named_program.h"

namespace iprof::hotspot {
namespace {

constexpr CompilerLimits kLimits = {.are_known = true,
                                    .most_bytes = 325,
                                    .fewest_calls = 1,
                                    .calls_for_c2 = 5'000,
                                    .rounds_for_c2 = 10'000};

// A program of one class with named methods, and what HotSpot says of their code.
class Compiled {
 public:
  explicit Compiled(std::string_view klass = "A") { program.Class(klass); }

  uint32_t Method(std::string_view name, uint64_t calls, uint8_t highest, uint32_t bytes = 50) {
    const std::string_view kept = program.made.Keep(name);
    const uint32_t number = program.Method(kept, calls, /*has_data=*/false);
    ListedMethod method;
    method.name = kept;
    method.descriptor = kDescriptor;
    method.code_size = bytes;
    method.invocations = static_cast<uint32_t>(calls);
    method.highest = highest;
    method.highest_of_loops = uint8_t{0};
    method.compiled = highest == 0 ? 0 : 0x1000;
    listed.push_back(method);
    return number;
  }
  void Call(uint32_t caller, uint32_t callee) {
    calls[caller].push_back({"A", listed[callee].name, kDescriptor});
  }

  std::vector<bool> Find(const CompilerLimits& limits = kLimits) const {
    return FindComplete(program.made, listed, is_replaced, limits,
                        [&](uint32_t m, const VisitCall& visit) {
                          if (m == unreadable) return false;
                          if (const auto of = calls.find(m); of != calls.end()) {
                            for (const PoolMember& call : of->second) visit(call);
                          }
                          return true;
                        });
  }

  static constexpr std::string_view kDescriptor = "()V";
  NamedProgram program;
  std::vector<ListedMethod> listed;
  std::map<uint32_t, std::vector<PoolMember>> calls;
  std::vector<bool> is_replaced = {false};
  uint32_t unreadable = UINT32_MAX;
};

TEST_CASE("a method that never had code, and that no code can have inlined, is complete") {
  Compiled a;
  const uint32_t run = a.Method("run", 3, 0);
  const uint32_t hot = a.Method("hot", 9'000, 4);
  const uint32_t inlined = a.Method("inlined", 300, 0);
  const uint32_t deeper = a.Method("deeper", 300, 0);
  const uint32_t large = a.Method("large", 300, 0, 326);
  const uint32_t behind_large = a.Method("behindLarge", 300, 0);
  a.Call(run, hot);
  a.Call(hot, inlined);
  a.Call(inlined, deeper);
  a.Call(hot, large);
  a.Call(large, behind_large);
  const std::vector<bool> complete = a.Find();
  CHECK(complete[run]);
  CHECK_FALSE(complete[hot]);
  CHECK_FALSE(complete[inlined]);
  CHECK_FALSE(complete[deeper]);
  CHECK(complete[large]);
  CHECK(complete[behind_large]);
}

TEST_CASE("code of tiers 2 and 3 counts all entries, that of tiers 1 and 4 does not") {
  for (const bool in_loop : {false, true}) {
    for (const uint8_t tier : std::initializer_list<uint8_t>{0, 1, 2, 3, 4, 255}) {
      Compiled a;
      const uint32_t run = a.Method("run", 100, in_loop ? uint8_t{0} : tier);
      if (in_loop) a.listed[run].highest_of_loops = tier;
      const uint32_t callee = a.Method("callee", 100, 0);
      a.Call(run, callee);
      const bool counts = tier == 0 || tier == 2 || tier == 3;
      INFO(int{tier} << (in_loop ? " in a loop" : ""));
      CHECK(a.Find()[run] == counts);
      CHECK(a.Find()[callee] == counts);
    }
  }
}

TEST_CASE("C2 may have refused what reached its thresholds, and then C1 counts nothing") {
  for (const uint64_t calls : {4'999U, 5'000U}) {
    Compiled a;
    const uint32_t run = a.Method("run", calls, 3);
    CHECK(a.Find()[run] == (calls < 5'000));
  }
  Compiled interpreted;
  const uint32_t run = interpreted.Method("run", 5'000, 0);
  CHECK(interpreted.Find()[run]);
}

TEST_CASE("C2 inlines no method that was never or seldom called, if it is not tiny") {
  const auto is_complete = [](std::string_view name, uint64_t calls, uint32_t bytes,
                              uint64_t fewest, std::string_view klass = "A") {
    Compiled a(klass);
    const uint32_t hot = a.Method("hot", 9'000, 4);
    const uint32_t callee = a.Method(name, calls, 0, bytes);
    a.Call(hot, callee);
    CompilerLimits limits = kLimits;
    limits.fewest_calls = fewest;
    return static_cast<bool>(a.Find(limits)[callee]);
  };
  CHECK(is_complete("callee", 0, 50, 1));
  CHECK_FALSE(is_complete("callee", 1, 50, 1));
  CHECK(is_complete("callee", 250, 50, 251));  // JDK 17: MinInliningThreshold
  CHECK_FALSE(is_complete("callee", 251, 50, 251));
  CHECK_FALSE(is_complete("<init>", 1, 50, 251));
  CHECK_FALSE(is_complete("callee", 0, 6, 1));
  CHECK_FALSE(is_complete("callee", 1, 500, 1, "java/util/A"));  // may be @ForceInline
  CHECK(is_complete("callee", 0, 500, 1, "java/util/A"));
}

TEST_CASE("handles may lead to what lambdas run") {
  Compiled a;
  const uint32_t hot = a.Method("hot", 9'000, 4);
  const uint32_t lambda = a.Method("lambda$run$0", 10, 0);
  const uint32_t other = a.Method("other", 10, 0);
  CHECK(a.Find()[lambda]);
  a.calls[hot].push_back({"", "apply", "()V"});
  CHECK_FALSE(a.Find()[lambda]);
  CHECK(a.Find()[other]);
  a.program.made.handle_calls.push_back({.caller = hot, .callee = other});
  CHECK_FALSE(a.Find()[other]);
}

TEST_CASE("nothing is complete of which something is not known") {
  const auto is_complete = [](const auto& change) {
    Compiled a;
    const uint32_t run = a.Method("run", 100, 0);
    a.Method("hot", 9'000, 4);
    change(a, a.listed[run]);
    return static_cast<bool>(a.Find()[run]);
  };
  CHECK(is_complete([](Compiled&, ListedMethod&) {}));
  CHECK_FALSE(is_complete([](Compiled&, ListedMethod& m) { m.highest.reset(); }));
  CHECK_FALSE(is_complete([](Compiled&, ListedMethod& m) { m.intrinsic = 7; }));
  CHECK_FALSE(is_complete([](Compiled&, ListedMethod& m) { m.has_unknown_counters = true; }));
  CHECK_FALSE(is_complete([](Compiled&, ListedMethod& m) { m.has_lowered_counters = true; }));
  CHECK_FALSE(is_complete([](Compiled&, ListedMethod& m) { m.data = 8; }));  // and it was not read
  CHECK_FALSE(is_complete([](Compiled& a, ListedMethod&) { a.is_replaced[0] = true; }));
  CHECK_FALSE(is_complete([](Compiled& a, ListedMethod&) { a.unreadable = 1; }));
  Compiled a;
  a.Method("run", 100, 0);
  CHECK_FALSE(a.Find({})[0]);
}

TEST_CASE("bytes are taken for the highest tiers if they fit the code that is there") {
  std::vector<SeenTier> tiers(98, SeenTier{0, 0, 0});
  tiers.push_back({2, 4, 4});
  CHECK_FALSE(AreTiersKnown(tiers));  // zeros may be anything
  tiers.push_back({3, 4, 3});
  CHECK(AreTiersKnown(tiers));
  tiers[0] = {4, 4, 3};  // compiled between two reads
  tiers[1] = {0, 0, 2};
  CHECK(AreTiersKnown(tiers));
  tiers[2] = {3, 4, 200};
  CHECK_FALSE(AreTiersKnown(tiers));
  CHECK_FALSE(AreTiersKnown(std::vector<SeenTier>(15, SeenTier{3, 4, 3})));
}

TEST_CASE(
    "methods with code, and those that were hardly called, show where the highest tiers are") {
  Compiled a;
  a.Method("hot", 9'000, 4);
  a.Method("cold", 20, 0);
  a.Method("warm", 200, 0);  // may have had code
  a.listed[a.Method("unknown", 20, 0)].highest.reset();
  const auto tiers = SeenTiers(a.listed, [](Address) { return uint8_t{3}; });
  REQUIRE(tiers.size() == 2);
  CHECK((tiers[0].least == 3 && tiers[0].most == 4 && tiers[0].highest == 4));
  CHECK((tiers[1].least == 0 && tiers[1].most == 0 && tiers[1].highest == 0));
  CHECK(SeenTiers(a.listed, [](Address) { return std::optional<uint8_t>(); }).size() == 1);
}

}  // namespace
}  // namespace iprof::hotspot
