// Methods of which HotSpot has no MethodData: guessed loops, what compilers do not count, what
// never ran.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "agent/harvest/fake_hotspot.h"
#include "agent/harvest/harvest.h"
#include "agent/harvest/harvest_profile.h"

namespace iprof::hotspot {
namespace {

Result<std::unique_ptr<HarvestedProgram>> Harvest(const FakeProgram& program) {
  return HarvestProgram(program.vm, program.vm.layout(), NoFlags(), 0);
}

// The class b/B has a method that was entered twice and jumped back this often; it calls a/A.run in each round.
struct LoopingProgram : FakeProgram {
  explicit LoopingProgram(uint32_t rounds) {
    // 0: aload_0; 1: invokevirtual a/A.run; 4: iload_1; 5: ifne 0; 8: return
    const Address loop = vm.Method(driver, pool, {42, 182, 1, 0, 27, 154, 0xFF, 0xFB, 177}, 2);
    vm.Put(vm.Load<Address>(loop + 16).value_or(0) + 4, rounds << 1);
  }
  Address driver = vm.Class(loader, "b/B");
};

TEST_CASE("the calls of a loop without MethodData are guessed from how often it jumped back") {
  for (const uint32_t rounds : {5'000U, 900U}) {
    const LoopingProgram fake(rounds);
    const auto program = Harvest(fake);
    REQUIRE(program.ok());
    REQUIRE((*program)->methods.size() == 2);
    const auto found = std::find_if(
        (*program)->methods.begin(), (*program)->methods.end(),
        [&](const HarvestedMethod& one) { return (*program)->classes[one.klass].name == "b/B"; });
    REQUIRE(found != (*program)->methods.end());
    CHECK_FALSE(found->has_data);
    CHECK(found->invocations == 2);
    CHECK((*program)->counts.without_data == 1);
    if (rounds < 1'000) {
      CHECK(found->calls.empty());
      continue;
    }
    REQUIRE(found->calls.size() == 1);
    CHECK(found->calls[0].owner == "a/A");
    CHECK(static_cast<double>(found->calls[0].block_count) == Approx(5'002).margin(3));
    // What is guessed is in no profile; it only decides how often its callees were called.
    Profile profile;
    WriteHarvest(**program, RawScales(**program), {}, profile);
    CHECK(profile.method_count() == 2);
  }
}

TEST_CASE("a method is uncounted if HotSpot looked at it and compiles its code without counters") {
  const auto is_uncounted = [](const std::vector<uint8_t>& code, uint32_t invocations) {
    FakeProgram fake;
    fake.vm.Method(fake.vm.Class(fake.loader, "b/B"), fake.pool, code, invocations);
    const auto program = Harvest(fake);
    REQUIRE(program.ok());
    CHECK_FALSE((*program)->methods[0].is_uncounted);  // it has a MethodData
    return (*program)->methods[1].is_uncounted;
  };
  CHECK(is_uncounted({3, 172}, 128));  // iconst_0, ireturn
  CHECK_FALSE(is_uncounted({3, 172}, 127));
  CHECK(is_uncounted({}, 128));                          // native
  CHECK_FALSE(is_uncounted({42, 182, 1, 0, 176}, 150));  // aload_0, invokevirtual a/A.run, areturn
}

TEST_CASE("a method never ran if the interpreter never called it") {
  const auto never_ran = [](const std::vector<uint8_t>& code, uint32_t invocations) {
    FakeProgram fake;
    fake.vm.Method(fake.vm.Class(fake.loader, "b/B"), fake.pool, code, invocations);
    const auto program = Harvest(fake);
    REQUIRE(program.ok());
    CHECK_FALSE((*program)->methods[0].never_ran);  // it has a MethodData
    return (*program)->methods[1].never_ran;
  };
  const std::vector<uint8_t> large = {3, 60, 27, 60, 27, 60, 27, 172};
  CHECK(never_ran(large, 0));
  CHECK_FALSE(never_ran(large, 1));
  CHECK_FALSE(never_ran({3, 172}, 0));  // compilers may inline it without counting
}

TEST_CASE("a method whose counters cannot be read may have run") {
  FakeProgram fake;
  const std::vector<uint8_t> large = {3, 60, 27, 60, 27, 60, 27, 172};
  const Address method = fake.vm.Method(fake.vm.Class(fake.loader, "b/B"), fake.pool, large, 0);
  fake.vm.Put(method + 16, Address{8});
  const auto program = Harvest(fake);
  REQUIRE(program.ok());
  REQUIRE((*program)->methods.size() == 2);
  CHECK_FALSE((*program)->methods[1].never_ran);
}

TEST_CASE("small methods are looked at in the class of a guessed loop") {
  for (const uint32_t rounds : {5'000U, 900U}) {
    LoopingProgram fake(rounds);
    fake.vm.Method(fake.driver, fake.pool, {27, 16, 31, 104, 172},
                   0);                                    // returns 31 times its argument
    fake.vm.Method(fake.driver, fake.pool, {3, 172}, 0);  // returns a constant
    // What cannot be read may be trivial: no bytecode, and a constant pool without tags.
    fake.vm.Method(fake.driver, fake.pool, {255, 172}, 0);
    const Address broken =
        fake.vm.Pool({{1, fake.vm.Symbol("run")}, {1, fake.vm.Symbol("()V")}}, {});
    fake.vm.Put(broken, Address{8});
    fake.vm.Method(fake.driver, broken, {27, 16, 31, 104, 172}, 0);
    const auto program = Harvest(fake);
    REQUIRE(program.ok());
    size_t never_ran = 0;
    for (const HarvestedMethod& method : (*program)->methods) never_ran += method.never_ran ? 1 : 0;
    CHECK(never_ran == (rounds < 1'000 ? 0 : 1));
  }
}

}  // namespace
}  // namespace iprof::hotspot
