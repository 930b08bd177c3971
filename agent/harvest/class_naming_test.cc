#include "agent/harvest/class_naming.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/harvest/fake_hotspot.h"
#include "agent/harvest/harvest.h"
#include "agent/harvest/harvest_profile.h"

namespace iprof::hotspot {
namespace {

// The constants of a/H's invokedynamic instructions: a lambda that calls lambda$0, one that calls
// lambda$1, one that calls lambda$0 by the name of a subclass, one that boxes what lambda$0 returns, and one that
// implements a/J instead of a/I, and one that is serializable.
constexpr uint16_t kFirst = 4;
constexpr uint16_t kSecond = 23;
constexpr uint16_t kThird = 28;
constexpr uint16_t kBoxing = 32;
constexpr uint16_t kOther = 35;
constexpr uint16_t kSerializable = 38;
// Names of methods.
constexpr uint16_t kRun = 1;
constexpr uint16_t kBody = 14;
constexpr uint16_t kDeserializer = 39;
constexpr uint16_t kInitializer = 40;

struct Lambdas {
  FakeHotSpot vm;
  MetadataLayout layout = vm.layout();
  int made = 0;

  // A class a/H with an invokedynamic instruction for each of these constants.
  Address Host(Address loader, const std::vector<uint16_t>& instructions) {
    const Address host = vm.Class(loader, "a/H");
    const auto text = [&](std::string_view each) {
      return FakeHotSpot::Constant{1, vm.Symbol(each)};
    };
    const auto two = [](uint8_t tag, uint64_t low, uint64_t high) {
      return FakeHotSpot::Constant{tag, high << 16 | low};
    };
    const Address pool = vm.Pool(
        {text("applyAsInt"),
         text("()La/I;"),
         two(12, 1, 2),
         two(18, 0, 3),  // 4: kFirst
         text("java/lang/invoke/LambdaMetafactory"),
         two(7, 0, 5),
         text("metafactory"),
         text("()V"),
         two(12, 7, 8),
         two(10, 6, 9),
         two(15, 6, 10),  // 11: the metafactory
         text("a/H"),
         two(7, 0, 12),
         text("lambda$0"),
         text("(I)I"),
         two(12, 14, 15),
         two(10, 13, 16),
         two(15, 6, 17),  // 18: lambda$0
         text("lambda$1"),
         two(12, 19, 15),
         two(10, 13, 20),
         two(15, 6, 21),  // 22: lambda$1
         two(18, 1, 3),   // 23: kSecond
         text("a/Sub"),
         two(7, 0, 24),
         two(10, 25, 16),
         two(15, 6, 26),  // 27: lambda$0, as a/Sub's
         two(18, 2, 3),   // 28: kThird
         {16, 15},        // 29: the type of lambda$0
         text("(I)Ljava/lang/Object;"),
         {16, 30},       // 31
         two(18, 3, 3),  // 32: kBoxing
         text("()La/J;"),
         two(12, 1, 33),
         two(18, 0, 34),  // 35: kOther
         {3, 5},          // 36: the flags
         {3, 0},
         two(18, 4, 3),  // 38: kSerializable
         text("$deserializeLambda$"),
         text("<clinit>")},
        instructions, {10, 0,  15, 0,  20, 0,  25, 0, 30, 0,  11, 3,  29, 18, 29, 11, 3,  29, 22,
                       29, 11, 3,  29, 27, 29, 11, 3, 31, 18, 31, 11, 5,  29, 18, 29, 36, 37});
    vm.Put(host + layout.instance.constants, pool);
    return host;
  }

  // A method of the host that executes the instruction of this entry.
  Address HostMethod(Address host, uint16_t name, uint8_t entry, uint32_t invocations) {
    const Address pool = vm.Load<Address>(host + layout.instance.constants).value_or(0);
    // invokedynamic, pop, return
    const Address method = vm.Method(host, pool, {186, entry, 0, 0, 0, 87, 177}, invocations);
    vm.Put(vm.Load<Address>(method).value_or(0) + layout.code.name, name);
    return method;
  }

  // A lambda of a/H that calls this method; its name has the next number.
  void Lambda(Address loader, std::string_view calls, std::string_view owner = "a/H") {
    const Address klass =
        vm.Class(loader, "a/H$$Lambda$" + std::to_string(made) + "+0x0" + std::to_string(made));
    ++made;
    vm.Put(klass + layout.klass.access, uint16_t{0x11});
    vm.Put(klass + layout.instance.local_interfaces, vm.Pointers({interface}));
    const Address pool = vm.Pool({{1, vm.Symbol("applyAsInt")},
                                  {1, vm.Symbol("(I)I")},
                                  {1, vm.Symbol(owner)},
                                  {7, uint64_t{3} << 16},
                                  {1, vm.Symbol(calls)},
                                  {12, uint64_t{2} << 16 | 5},
                                  {10, uint64_t{6} << 16 | 4},
                                  {1, vm.Symbol("<init>")},
                                  {1, vm.Symbol("()V")}},
                                 {7});
    // iload_0, invokestatic, ireturn
    const Address runs = vm.Method(klass, pool, {26, 184, 0, 0, 172}, 10);
    vm.Data(runs, {uint64_t{1} << 16 | 2, 10}, 0);
    const Address constructor = vm.Method(klass, pool, {177}, 1);
    const Address body = vm.Load<Address>(constructor).value_or(0);
    vm.Put(body + layout.code.name, uint16_t{8});
    vm.Put(body + layout.code.signature, uint16_t{9});
    vm.Put(klass + layout.instance.methods, vm.Pointers({runs, constructor}));
  }

  std::unique_ptr<HarvestedProgram> Harvest(int naming_jdk = 17) const {
    auto program = HarvestProgram(vm, layout, NoFlags(), naming_jdk);
    REQUIRE(program.ok());
    return std::move(*program);
  }
  // The stable names of the lambdas, and how many have none.
  static std::vector<std::string> NamesIn(const HarvestedProgram& program) {
    std::vector<std::string> names;
    for (const HarvestedClass& klass : program.classes) {
      if (klass.is_hidden) names.emplace_back(klass.stable_name);
    }
    const auto unnamed = std::count(names.begin(), names.end(), "");
    CHECK(program.counts.unnamed_lambdas == static_cast<uint64_t>(unnamed));
    return names;
  }

  Address first = vm.Loader(), second = vm.Loader();
  Address interface = vm.Class(first, "a/I");
};

TEST_CASE("copies of a lambda that one instruction makes have one name, and their calls add up") {
  for (const int jdk : {17, 23, 25}) {
    Lambdas lambdas;
    lambdas.Host(lambdas.first, {kFirst, kSecond});
    for (const char* calls : {"lambda$0", "lambda$1", "lambda$0", "lambda$0"})
      lambdas.Lambda(lambdas.first, calls);
    const auto program = lambdas.Harvest(jdk);
    const auto names = Lambdas::NamesIn(*program);
    REQUIRE(names.size() == 4);
    CHECK(names[0].starts_with("a/H$$Lambda"));
    CHECK(names[1].starts_with("a/H$$Lambda"));
    CHECK(names[0] != names[1]);
    CHECK(names[2] == names[0]);
    CHECK(names[3] == names[0]);
    Profile profile;
    profile.AddStandardTypes();
    WriteHarvest(*program, RawScales(*program), {}, profile);
    CHECK(profile.Total(Table::kCalls) == 4 * 11);
    CHECK(profile.method_count() == 4);  // two of each lambda
  }
}

TEST_CASE("lambdas that several instructions of a class may have made have no name") {
  Lambdas lambdas;
  lambdas.Host(lambdas.first, {kFirst, kSecond, kFirst});
  for (const char* calls : {"lambda$0", "lambda$1", "lambda$0"})
    lambdas.Lambda(lambdas.first, calls);
  const auto names = Lambdas::NamesIn(*lambdas.Harvest());
  CHECK(names[0].empty());
  CHECK_FALSE(names[1].empty());
  CHECK(names[2].empty());
}

TEST_CASE("a lambda that is alone has no name if another instruction does the same") {
  for (const int jdk : {17, 23, 25}) {
    Lambdas lambdas;
    lambdas.Host(lambdas.first, {kFirst, kSecond, kFirst});
    for (const char* calls : {"lambda$0", "lambda$1"}) lambdas.Lambda(lambdas.first, calls);
    const auto names = Lambdas::NamesIn(*lambdas.Harvest(jdk));
    CHECK(names[0].empty());
    CHECK_FALSE(names[1].empty());
  }
}

TEST_CASE("a lambda that is alone has a name if the agent gives its instruction the number 0") {
  // By the name of the class, by the calls, and by the interface.
  const std::vector<std::pair<std::vector<uint16_t>, int>> cases{
      {{kThird}, 17}, {{kBoxing, kBoxing}, 17}, {{kOther}, 25}};
  for (const auto& [others, oldest] : cases) {
    for (const int jdk : {17, 23, 25}) {
      Lambdas lambdas;
      std::vector<uint16_t> instructions = others;
      instructions.push_back(kFirst);
      lambdas.Host(lambdas.first, instructions);
      lambdas.Lambda(lambdas.first, "lambda$0");
      CHECK(Lambdas::NamesIn(*lambdas.Harvest(jdk))[0].empty() == (jdk < oldest));
    }
  }
}

TEST_CASE("the instruction that deserializes a lambda makes no difference if it never ran") {
  struct Case {
    uint16_t made_by;
    uint32_t deserialized;
    bool has_name;
    uint32_t access = 9;  // public static
  };
  constexpr uint32_t kOfBodies = 0x100A;  // private static synthetic
  for (const auto& [made_by, deserialized, has_name, access] :
       {Case{kRun, 0, true}, Case{kRun, 1, false}, Case{kBody, 0, false},
        Case{kInitializer, 0, false}, Case{kRun, 0, false, kOfBodies}}) {
    for (const int jdk : {17, 25}) {
      Lambdas lambdas;
      const Address host = lambdas.Host(lambdas.first, {kSerializable, kSerializable});
      const Address makes = lambdas.HostMethod(host, made_by, 0, 7);
      lambdas.vm.Put(makes + lambdas.layout.method.access, access);
      const Address deserializes = lambdas.HostMethod(host, kDeserializer, 1, deserialized);
      lambdas.vm.Put(deserializes + lambdas.layout.method.access, kOfBodies);
      lambdas.vm.Put(host + lambdas.layout.instance.methods,
                     lambdas.vm.Pointers({makes, deserializes}));
      lambdas.Lambda(lambdas.first, "lambda$0");
      CHECK(Lambdas::NamesIn(*lambdas.Harvest(jdk))[0].empty() == !has_name);
    }
  }
}

TEST_CASE("a lambda that is alone in each loader has no name if one of them has two instructions") {
  Lambdas lambdas;
  lambdas.Host(lambdas.first, {kFirst});
  lambdas.Host(lambdas.second, {kFirst, kFirst});
  lambdas.Lambda(lambdas.first, "lambda$0");
  lambdas.Lambda(lambdas.second, "lambda$0");
  CHECK(Lambdas::NamesIn(*lambdas.Harvest()) == std::vector<std::string>(2));
}

TEST_CASE("a lambda that calls a handle has a name unless instructions of its kind do the same") {
  for (const bool is_twice : {false, true}) {
    Lambdas lambdas;
    lambdas.Host(lambdas.first, {kFirst, kSecond, is_twice ? kSecond : kThird});
    lambdas.Lambda(lambdas.first, "invokeExact", "java/lang/invoke/MethodHandle");
    CHECK(Lambdas::NamesIn(*lambdas.Harvest())[0].empty() == is_twice);
  }
}

TEST_CASE("lambdas of a static method that instructions name in two classes have no name") {
  enum class Sub { kNotListed, kInherits, kDoesNot };
  for (const Sub sub : {Sub::kNotListed, Sub::kInherits, Sub::kDoesNot}) {
    Lambdas lambdas;
    const Address host = lambdas.Host(lambdas.first, {kFirst, kSecond, kThird});
    if (sub != Sub::kNotListed) {
      const Address klass = lambdas.vm.Class(lambdas.first, "a/Sub");
      lambdas.vm.Put(klass + lambdas.layout.klass.super, sub == Sub::kInherits ? host : Address{0});
    }
    for (const char* calls : {"lambda$0", "lambda$1", "lambda$0"})
      lambdas.Lambda(lambdas.first, calls);
    const auto names = Lambdas::NamesIn(*lambdas.Harvest());
    CHECK(names[0].empty() == (sub != Sub::kDoesNot));
    CHECK_FALSE(names[1].empty());
    CHECK(names[2].empty() == (sub != Sub::kDoesNot));
  }
}

TEST_CASE("copies have no name where the instructions cannot be read") {
  Lambdas lambdas;
  lambdas.Host(lambdas.first, {kFirst});
  for (int copy = 0; copy < 2; ++copy) lambdas.Lambda(lambdas.first, "lambda$0");
  for (int copy = 0; copy < 2; ++copy) lambdas.Lambda(lambdas.first, "lambda$2");
  using Names = std::vector<std::string>;
  const auto names = Lambdas::NamesIn(*lambdas.Harvest());
  CHECK_FALSE(names[0].empty());
  CHECK(Names(names.begin() + 2, names.end()) == Names{"", ""});
  lambdas.layout.bootstraps.reset();
  CHECK(Lambdas::NamesIn(*lambdas.Harvest()) == Names{"", "", "", ""});
}

TEST_CASE("lambdas of a class that several loaders define share their names") {
  Lambdas lambdas;
  lambdas.Host(lambdas.first, {kFirst});
  lambdas.Host(lambdas.second, {kFirst});
  lambdas.Lambda(lambdas.first, "lambda$0");
  lambdas.Lambda(lambdas.second, "lambda$0");
  auto names = Lambdas::NamesIn(*lambdas.Harvest());
  REQUIRE(names.size() == 2);
  CHECK_FALSE(names[0].empty());
  CHECK(names[0] == names[1]);
  lambdas.Lambda(lambdas.second, "lambda$0");
  names = Lambdas::NamesIn(*lambdas.Harvest());
  CHECK(names == std::vector<std::string>(3, names[0]));
  CHECK_FALSE(names[0].empty());
}

TEST_CASE("a name that means two lambdas in one loader has no lambda in any") {
  Lambdas lambdas;
  lambdas.Host(lambdas.first, {kFirst, kFirst});
  lambdas.Host(lambdas.second, {kFirst});
  for (int copy = 0; copy < 2; ++copy) lambdas.Lambda(lambdas.first, "lambda$0");
  lambdas.Lambda(lambdas.second, "lambda$0");
  CHECK(Lambdas::NamesIn(*lambdas.Harvest()) == std::vector<std::string>(3));
}

// Two copies that were called through a site: what was counted of them is one class's.
struct TwoCopies {
  HarvestedProgram program;

  TwoCopies() {
    for (uint32_t c = 0; c < 3; ++c) {
      HarvestedClass klass;
      klass.name = program.Keep("a/C" + std::to_string(c));
      klass.stable_name = c == 0 ? "a/Main" : "a/H$$Lambda.0x10";
      klass.first_method = c;
      klass.methods = 1;
      program.classes.push_back(klass);
      HarvestedMethod method;
      method.klass = c;
      method.name = "run";
      method.descriptor = "()V";
      method.invocations = 100;
      method.has_data = true;
      method.code_hash = 7;
      method.branches.push_back({.bci = 3, .targets = {9, 6}, .counts = {10, 20}});
      program.methods.push_back(method);
    }
    program.methods[0].types.push_back({.bci = 1, .is_call = true, .rows = {{1, 30}, {2, 40}}});
  }

  Profile Write() const {
    Profile profile;
    profile.AddStandardTypes();
    WriteHarvest(program, RawScales(program), {}, profile);
    return profile;
  }
};

TEST_CASE("calls, branches and rows of receivers of copies add up, in any order of the copies") {
  TwoCopies copies;
  for (const bool is_swapped : {false, true}) {
    if (is_swapped)
      std::swap(copies.program.methods[1].branches, copies.program.methods[2].branches);
    const Profile profile = copies.Write();
    CHECK(profile.method_count() == 2);
    CHECK(profile.Total(Table::kCalls) == 300);
    CHECK(profile.Total(Table::kConditionals) == 90);
    CHECK(profile.Total(Table::kVirtualInvokes) == 70);
    // A copy without a MethodData, though called more often, hides nothing.
    copies.program.methods[1].branches.clear();
    copies.program.methods[1].code_hash = 0;
    copies.program.methods[1].has_data = false;
    copies.program.methods[1].invocations = 1000;
    CHECK(copies.Write().Total(Table::kConditionals) == 60);
    copies = TwoCopies();
  }
}

TEST_CASE("a superseded copy is in a profile only if it was called") {
  TwoCopies copies;
  copies.program.classes[1].is_superseded = true;
  std::vector<MethodScale> scales = RawScales(copies.program);
  for (const uint64_t calls : {100U, 0U}) {
    scales[1].calls = calls;
    Profile profile;
    profile.AddStandardTypes();
    WriteHarvest(copies.program, scales, {}, profile);
    CHECK(profile.Total(Table::kConditionals) == (calls > 0 ? 90 : 60));
  }
}

}  // namespace
}  // namespace iprof::hotspot
