#include "agent/harvest/harvest.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <iterator>
#include <random>
#include <string>

#include "agent/classfile/symbolic_code.h"
#include "agent/harvest/fake_hotspot.h"
#include "agent/harvest/harvest_profile.h"
#include "agent/hotspot/block_cache.h"
#include "writer/base/code_length.h"
#include "writer/base/murmur3.h"

namespace iprof::hotspot {
namespace {

using namespace std::string_view_literals;
using Types = HarvestedTypes::Rows;
constexpr uint8_t kOriginal[] = {42, 182, 0, 6, 153, 0, 4, 0, 177};

// As a class file's reader computes it: the call is of the class's own run()V.
uint64_t HashOfOriginal() {
  classfile::SymbolicCode symbolic;
  symbolic.Start(kOriginal, "a/A");
  symbolic.Add(
      1, classfile::Op::invokevirtual,
      {.tag = classfile::Tag::kMethodref, .owner = "a/A", .name = "run", .descriptor = "()V"});
  return WithCodeLength(Murmur3(symbolic.bytes()).low, std::size(kOriginal));
}

Result<std::unique_ptr<HarvestedProgram>> Harvest(const FakeProgram& program) {
  return HarvestProgram(program.vm, program.vm.layout(), NoFlags(), 0);
}

TEST_CASE("branches, receivers and calls are read, at the positions of the class file") {
  const FakeProgram fake;
  const auto program = Harvest(fake);
  INFO(program.status().message());
  REQUIRE(program.ok());
  REQUIRE((*program)->methods.size() == 1);
  const HarvestedMethod& method = (*program)->methods[0];
  CHECK((*program)->classes[method.klass].stable_name == "a/A");
  CHECK(method.name == "run");
  CHECK(method.descriptor == "()V");
  CHECK(method.invocations == 100);
  REQUIRE(method.branches.size() == 1);
  CHECK(method.branches[0].bci == 4);
  CHECK(method.branches[0].targets == Targets{8, 7});
  CHECK(method.branches[0].counts == EdgeCounts{30, 50});
  REQUIRE(method.types.size() == 1);
  CHECK(method.types[0].is_call);
  CHECK(method.types[0].rows == Types{{0, 80}});
  CHECK(method.types[0].has_free_row);
  REQUIRE(method.calls.size() == 1);
  CHECK(method.calls[0].owner == "a/A");
  CHECK(method.calls[0].name == "run");
  CHECK(method.calls[0].block_count == 80);
  CHECK(method.code_hash == HashOfOriginal());
  CHECK((*program)->counts.failed == 0);
}

TEST_CASE(
    "many MethodDatas are each decoded from their own words, and only one that fails is lost") {
  constexpr uint64_t kMany = kVoters + 1000;
  constexpr uint64_t kBroken = kMany / 2;  // it does not vote, and its neighbours do
  FakeProgram fake;
  fake.vm.bytes().resize(8 << 20);
  for (uint64_t i = 0; i < kMany; ++i) {
    const Address klass = fake.vm.Class(fake.loader, "b/B" + std::to_string(i));
    const Address method = fake.vm.Method(klass, fake.pool, {220, 182, 1, 0, 153, 0, 4, 0, 177}, 1);
    std::vector<uint64_t> words = {uint64_t{1} << 16 | 5, 0, 0, klass, 30 + i, 0, 0};
    words.insert(words.end(), {uint64_t{4} << 16 | 7, i + 1, 0, 29});
    if (i == kBroken) words.pop_back();
    fake.vm.Data(method, words, 30);
  }
  const auto program = Harvest(fake);
  INFO(program.status().message());
  REQUIRE(program.ok());
  CHECK((*program)->counts.method_datas == kMany + 1);
  CHECK((*program)->counts.failed == 1);
  uint64_t right = 0;
  for (const HarvestedMethod& method : (*program)->methods) {
    const std::string_view name = (*program)->classes[method.klass].name;
    if (!name.starts_with("b/B")) continue;
    const auto i = std::stoull(std::string(name.substr(3)));
    if (i == kBroken) {
      CHECK_FALSE(method.has_data);
      continue;
    }
    right += method.branches.size() == 1 && method.types.size() == 1 &&
             method.branches[0].counts == EdgeCounts{i + 1, 29} &&
             method.types[0].rows == Types{{method.klass, 30 + i}};
  }
  CHECK(right == kMany - 1);
}

TEST_CASE("a text may be a descriptor without being a name") {
  FakeProgram fake;
  const Address name = fake.vm.Symbol("f");
  const Address descriptor = fake.vm.Symbol("(La/B;)V");
  const auto add = [&](std::string_view klass, Address first, Address second) {
    fake.vm.Method(fake.vm.Class(fake.loader, klass), fake.vm.Pool({{1, first}, {1, second}}, {}),
                   {177}, 1);
  };
  for (const std::string before : {"a/B", "a/C"}) {
    add(before + "1", name, descriptor);
    add(before + "2", descriptor, descriptor);
    add(before + "3", name, name);
  }
  const auto program = Harvest(fake);
  REQUIRE(program.ok());
  for (const HarvestedClass& klass : (*program)->classes)
    CHECK(klass.methods == (klass.name.ends_with('1') || klass.name == "a/A" ? 1U : 0U));
}

TEST_CASE(
    "a counter of entries that began again at 0 is made whole by what the method begins with") {
  constexpr uint64_t kCalls = 2'200'000'000;
  constexpr uint64_t kLeft = kCalls - (uint64_t{1} << 31);
  for (const bool is_loop : {false, true}) {
    FakeProgram fake;
    fake.vm.Put(fake.data + 12, static_cast<uint32_t>(kLeft) << 1);
    fake.vm.Put(fake.data + 24 + 4 * 8, kCalls + 10'468);  // receivers
    if (is_loop)
      fake.vm.Put(*fake.vm.Load<Address>(fake.method) + 24 + 5, uint16_t{0xFCFF});  // ifeq 0
    const auto program = Harvest(fake);
    REQUIRE(program.ok());
    const HarvestedMethod& method = (*program)->methods[0];
    CHECK(method.data_invocations == (is_loop ? kLeft : kCalls));
    CHECK(method.invocations == method.data_invocations + 20);
  }
}

TEST_CASE("a type check that began again at 0 is compared with what was counted since then") {
  FakeProgram fake;
  const Address other = fake.vm.Class(fake.loader, "b/B");
  const Address klass = fake.vm.Class(fake.loader, "c/C");
  // 0: aload_0; 1: invokevirtual a/A.run; 4: instanceof a/A; 7: return. It was entered 80 times.
  const Address method = fake.vm.Method(klass, fake.pool, {42, 182, 1, 0, 193, 0, 4, 177}, 20);
  fake.vm.Data(method,
               {uint64_t{1} << 16 | 5, 0, 0, fake.klass, 40, 0, 0,        // VirtualCallData
                uint64_t{4} << 16 | 4, 0, 0, fake.klass, 25, other, 15},  // ReceiverTypeData
               80);
  const auto program = Harvest(fake);
  INFO(program.status().message());
  REQUIRE(program.ok());
  const auto found = std::find_if(
      (*program)->methods.begin(), (*program)->methods.end(),
      [&](const HarvestedMethod& one) { return (*program)->classes[one.klass].name == "c/C"; });
  REQUIRE(found != (*program)->methods.end());
  REQUIRE(found->types.size() == 2);
  CHECK(found->types[1].is_lost_known);
  CHECK(found->types[1].lost == 0);
  CHECK(found->types[1].Listed() == 40);
  // How often the call was reached is another question.
  REQUIRE(found->calls.size() == 1);
  CHECK(found->calls[0].block_count == 80);
}

TEST_CASE("a harvest becomes a profile like the agent's") {
  const FakeProgram fake;
  const auto program = Harvest(fake);
  REQUIRE(program.ok());
  Profile profile;
  profile.AddStandardTypes();
  std::vector<MethodScale> scales = RawScales(**program);
  scales[0].factor = 2;
  WriteHarvest(**program, scales, {}, profile);
  CHECK(profile.Total(Table::kCalls) == 100);
  CHECK(profile.Total(Table::kConditionals) == 160);
  CHECK(profile.Total(Table::kVirtualInvokes) == 160);
  CHECK(profile.FindType("a.A"));
}

TEST_CASE("a class whose symbols hold no names, since it is being unloaded, has no methods") {
  for (const auto& [name, descriptor] :
       {std::pair(""sv, "()V"sv), std::pair("a\0"sv, "()V"sv), std::pair("a"sv, "("sv)}) {
    FakeProgram fake;
    const Address pool =
        fake.vm.Pool({{1, fake.vm.Symbol(name)}, {1, fake.vm.Symbol(descriptor)}}, {});
    fake.vm.Method(fake.vm.Class(fake.loader, "a/B"), pool, {177}, 5);
    const auto program = Harvest(fake);
    REQUIRE(program.ok());
    CHECK((*program)->classes.size() == 2);
    CHECK((*program)->methods.size() == 1);
  }
}

TEST_CASE("a class whose symbol is no class name is in no profile") {
  for (const auto& name : {""sv, "a;B"sv, "a\0B"sv, "[La/B;"sv, "a//B"sv}) {
    FakeProgram fake;
    fake.vm.Class(fake.loader, name);
    const auto program = Harvest(fake);
    REQUIRE(program.ok());
    REQUIRE((*program)->classes.size() == 2);
    CHECK((*program)->classes[1].stable_name.empty());
    CHECK((*program)->classes[0].stable_name == "a/A");
  }
}

TEST_CASE("whether an archive is mapped is read where HotSpot keeps it") {
  FakeProgram fake;
  MetadataLayout layout = fake.vm.layout();
  const auto has_archive = [&] {
    const auto program = HarvestProgram(fake.vm, layout, NoFlags(), 0);
    REQUIRE(program.ok());
    return (*program)->has_archive;
  };
  CHECK(has_archive());  // unknown
  layout.archive = fake.vm.Allocate(8);
  CHECK_FALSE(has_archive());
  fake.vm.Put(layout.archive, Address{0x1000});
  CHECK(has_archive());
}

// The records of FakeProgram: receivers and branches of the only method.
void Count(FakeProgram& fake, uint64_t receivers, uint64_t taken, uint64_t not_taken,
           uint32_t calls) {
  fake.vm.Put(fake.data + 24 + 8 * 4, receivers);
  fake.vm.Put(fake.data + 24 + 8 * 8, taken);
  fake.vm.Put(fake.data + 24 + 8 * 10, not_taken);
  fake.vm.Put(fake.data + 12, calls << 1);
}

TEST_CASE(
    "the counts that an AOT cache brought from its training run are not those of the program") {
  FakeProgram fake;
  const auto harvest = [&](const UnchangedMemory* unchanged) {
    auto program = HarvestProgram(fake.vm, fake.vm.layout(), TrainedFlags(), 0, {}, unchanged);
    INFO(program.status().message());
    REQUIRE(program.ok());
    return std::move(*program);
  };
  const UnchangedMemory began = BeganWith(fake.vm.bytes());
  SECTION("they are subtracted") {
    Count(fake, 80 + 7, 30 + 5, 50, 80 + 9);
    const auto program = harvest(&began);
    const HarvestedMethod& method = program->methods[0];
    CHECK(method.has_data);
    CHECK(method.invocations == 20 + 9);
    CHECK(method.data_invocations == 9);
    CHECK(method.branches[0].counts == EdgeCounts{5, 0});
    CHECK(method.types[0].rows == Types{{0, 7}});
    CHECK(method.calls[0].block_count == 9);
    CHECK_FALSE(program->is_trained);
    CHECK(program->counts.trained == 1);
    CHECK(program->counts.trained_unknown == 0);
    CHECK(program->counts.method_datas == 1);
  }
  SECTION("a method that was only called in training has no counts") {
    const Address other = fake.vm.Method(fake.klass, fake.pool, {177}, 5);
    fake.vm.Data(other, {}, 11);  // of this run: it lies behind what the file has
    const UnchangedMemory shorter = BeganWith(
        {fake.vm.bytes().begin(),
         fake.vm.bytes().begin() + static_cast<std::ptrdiff_t>(other - FakeHotSpot::kBase)});
    const auto program = harvest(&shorter);
    CHECK_FALSE(program->methods[0].has_data);
    CHECK(program->methods[0].invocations == 20);
    CHECK(program->methods[0].branches.empty());
    CHECK(program->methods[1].invocations == 5 + 11);
    CHECK(program->counts.trained == 1);
    CHECK(program->counts.method_datas == 1);
    CHECK(program->counts.without_data == 1);
  }
  SECTION("counts that were larger are not understood, so the MethodData is left out") {
    const Address other = fake.vm.Method(fake.klass, fake.pool, {177}, 5);
    fake.vm.Data(other, {}, 11);
    const UnchangedMemory shorter = BeganWith(
        {fake.vm.bytes().begin(),
         fake.vm.bytes().begin() + static_cast<std::ptrdiff_t>(other - FakeHotSpot::kBase)});
    SECTION("of receivers") { Count(fake, 79, 30, 50, 80); }
    SECTION("of a branch") { Count(fake, 80, 29, 50, 80); }
    SECTION("of calls") { Count(fake, 80, 30, 50, 79); }
    const auto program = harvest(&shorter);
    CHECK_FALSE(program->methods[0].has_data);
    CHECK(program->methods[0].invocations == 20);
    CHECK(program->counts.trained == 0);
    CHECK(program->counts.trained_unknown == 1);
  }
  SECTION("a file that cannot be opened leaves them out") {
    const Address other = fake.vm.Method(fake.klass, fake.pool, {177}, 5);
    fake.vm.Data(other, {}, 11);
    const UnchangedMemory closed({{.at = FakeHotSpot::kBase,
                                   .size = other - FakeHotSpot::kBase,
                                   .path = "/app.aot",
                                   .is_writable = true}},
                                 [](const MappedPart&) { return nullptr; });
    const auto program = harvest(&closed);
    CHECK(program->methods[0].invocations == 20);
    CHECK(program->counts.trained_unknown == 1);
  }
  SECTION("a receiver's class lies as much higher as all of the archive") {
    constexpr uint64_t kMoved = 0x7000;
    std::vector<uint8_t> bytes = fake.vm.bytes();
    BytesMemory file(bytes, FakeHotSpot::kBase);
    file.Put(fake.data, fake.method - kMoved);
    file.Put(fake.data + 24 + 8 * 3, fake.klass - kMoved);
    Count(fake, 80 + 7, 30, 50 + 3, 80 + 3);
    const UnchangedMemory moved = BeganWith(file.bytes());
    CHECK(harvest(&moved)->methods[0].types[0].rows == Types{{0, 7}});
    // Another class has the row now.
    file.Put(fake.data + 24 + 8 * 3, fake.klass);
    const UnchangedMemory reused = BeganWith(file.bytes());
    CHECK(harvest(&reused)->methods[0].types[0].rows == Types{{0, 87}});
  }
  SECTION("where the archive is not mapped from a file, they cannot be told") {
    const UnchangedMemory nowhere({}, {});
    for (const UnchangedMemory* unchanged :
         std::initializer_list<const UnchangedMemory*>{nullptr, &nowhere}) {
      const auto program = harvest(unchanged);
      CHECK(program->is_trained);
      CHECK(program->methods[0].invocations == 100);
      CHECK(program->counts.trained == 0);
    }
  }
}

TEST_CASE("a breakpoint is undone") {
  FakeProgram fake;
  const Address code = *fake.vm.Load<Address>(fake.method) + 24;
  fake.vm.Put(code + 4, uint8_t{202});
  CHECK_FALSE(Harvest(fake).ok());  // it is unknown which instruction it replaced
  const Address breakpoint = fake.vm.Allocate(24);
  fake.vm.Put(breakpoint, uint32_t{153});
  fake.vm.Put(breakpoint + 4, int32_t{4});
  fake.vm.Put(breakpoint + 8, uint16_t{1});
  fake.vm.Put(breakpoint + 10, uint16_t{2});
  fake.vm.Put(fake.klass + fake.vm.layout().instance.breakpoints, breakpoint);
  const auto program = Harvest(fake);
  REQUIRE(program.ok());
  CHECK((*program)->methods[0].code_hash == HashOfOriginal());
}

// FakeProgram's method behind a probe: getstatic IprofCounters0.counts; pop.
struct ProbedProgram {
  FakeHotSpot vm;
  Address loader = vm.Loader();
  Address klass = vm.Class(loader, "a/A");
  Address own = vm.Class(loader, "java/lang/IprofCounters0");
  Address pool = vm.Pool({{1, vm.Symbol("run")},
                          {1, vm.Symbol("()V")},
                          {1, vm.Symbol("a/A")},
                          {7, uint64_t{3} << 16},
                          {12, uint64_t{2} << 16 | 1},
                          {10, uint64_t{5} << 16 | 4},
                          {1, vm.Symbol("java/lang/IprofCounters0")},
                          {7, uint64_t{7} << 16},
                          {1, vm.Symbol("counts")},
                          {1, vm.Symbol("[J")},
                          {12, uint64_t{10} << 16 | 9},
                          {9, uint64_t{11} << 16 | 8}},
                         {0, 6, 12});
  Address method = vm.Method(klass, pool, {178, 2, 0, 87, 220, 182, 1, 0, 153, 0, 4, 0, 177}, 20);
  Address data = vm.Data(
      method, {uint64_t{5} << 16 | 5, 0, 0, klass, 80, 0, 0, uint64_t{8} << 16 | 7, 30, 0, 50}, 80);
};

TEST_CASE(
    "methods with the agent's probes have only calls in a profile; its classes have no names") {
  ProbedProgram fake;
  const auto harvest = [&] { return HarvestProgram(fake.vm, fake.vm.layout(), NoFlags(), 0); };
  const auto program = harvest();
  INFO(program.status().message());
  REQUIRE(program.ok());
  CHECK((*program)->counts.with_probes == 1);
  CHECK((*program)->counts.failed == 0);
  const HarvestedMethod& method = (*program)->methods[0];
  CHECK(method.has_probes);
  CHECK(method.invocations == 100);
  CHECK(method.branches.empty());
  REQUIRE(method.types.size() == 1);
  REQUIRE(method.calls.size() == 1);
  CHECK(method.types[0].rows == Types{{0, 80}});
  CHECK(method.types[0].bci == method.calls[0].bci);
  CHECK((*program)->classes[1].is_own);
  Profile profile;
  profile.AddStandardTypes();
  WriteHarvest(**program, RawScales(**program), {}, profile);
  CHECK(profile.Total(Table::kCalls) == 100);
  CHECK(profile.entry_count(Table::kConditionals) == 0);
  CHECK(profile.entry_count(Table::kVirtualInvokes) == 0);
  CHECK_FALSE(profile.FindType("java.lang.IprofCounters0"));
  // A hidden class keeps its probes, also when the agent no longer counts.
  CHECK((*program)->counts.hidden_with_probes == 0);
  fake.vm.Put(fake.klass + fake.vm.layout().klass.name, fake.vm.Symbol("a/A+0x0000000800c03000"));
  const auto hidden = harvest();
  REQUIRE(hidden.ok());
  CHECK((*hidden)->counts.with_probes == 1);
  CHECK((*hidden)->counts.hidden_with_probes == 1);
  fake.vm.Put(fake.klass + fake.vm.layout().klass.name, fake.vm.Symbol("a/A"));
  // The same code without the agent is the program's.
  fake.vm.Put(fake.own + fake.vm.layout().klass.name, fake.vm.Symbol("java/lang/OtherCounters"));
  const auto other = harvest();
  REQUIRE(other.ok());
  CHECK((*other)->counts.with_probes == 0);
  CHECK((*other)->methods[0].branches.size() == 1);
}

TEST_CASE("of methods that are asked for, the code and all calls are kept") {
  FakeProgram fake;
  // The same code, which HotSpot did not count.
  fake.vm.Method(fake.vm.Class(fake.loader, "b/B"), fake.pool, {220, 182, 1, 0, 153, 0, 4, 0, 177},
                 20);
  for (const std::string_view asked : {"a/A", "b/B", "c/C"}) {
    const auto program =
        HarvestProgram(fake.vm, fake.vm.layout(), NoFlags(), 0,
                       {.keeps = [&](const HarvestedClass& klass, const HarvestedMethod& method) {
                         CHECK(method.name == "run");
                         return klass.stable_name == asked;
                       }});
    REQUIRE(program.ok());
    const HarvestedMethod& a = (*program)->methods[0];
    const HarvestedMethod& b = (*program)->methods[1];
    CHECK(a.calls.size() == 1);
    CHECK(a.calls[0].block_count == 80);
    CHECK(b.calls.size() == (asked == "b/B" ? 1 : 0));
    if (!b.calls.empty()) CHECK(b.calls[0].block_count == 0);
    REQUIRE((*program)->codes.size() == (asked == "c/C" ? 0 : 1));
    if (asked == "c/C") continue;
    const HarvestedCode& kept = (*program)->codes[0];
    CHECK(kept.method == (asked == "a/A" ? 0 : 1));
    CHECK(kept.code.bytes == std::vector<uint8_t>(std::begin(kOriginal), std::end(kOriginal)));
  }
}

TEST_CASE("code is kept while it fits, and of methods with calls only") {
  FakeProgram fake;
  fake.vm.Method(fake.vm.Class(fake.loader, "b/B"), fake.pool, {177}, 20);
  const auto harvest = [&](uint64_t most_bytes) {
    const BoundedMemory memory(fake.vm, std::chrono::steady_clock::now() + std::chrono::hours(1),
                               most_bytes);
    auto program =
        HarvestProgram(memory, fake.vm.layout(), NoFlags(), 0,
                       {.keeps = [](const HarvestedClass&, const HarvestedMethod&) { return true; },
                        .limit = &memory});
    REQUIRE(program.ok());
    return std::pair(std::move(*program), memory.left());
  };
  const auto [all, left] = harvest(16 << 20);
  REQUIRE(all->codes.size() == 1);
  CHECK(all->methods[all->codes[0].method].calls.size() == 1);
  CHECK(all->counts.without_code == 0);
  // The list of classes, which is read twice, and what follows fit into it. Code does not.
  const auto [none, rest] = harvest(4 << 20);
  CHECK(none->codes.empty());
  CHECK(none->counts.without_code == 2);  // also the method that calls nothing
  CHECK(none->methods[all->codes[0].method].calls.size() == 1);  // as HotSpot counted them
  CHECK((16 << 20) - left > (4 << 20) - rest);
}

TEST_CASE("a previous version of a class is left out") {
  FakeProgram fake;
  const Address previous = fake.vm.Class(fake.loader, "a/A");
  const Address old = fake.vm.Method(previous, fake.pool, {177}, 5);
  fake.vm.Data(old, {uint64_t{9} << 16 | 7, 1, 0, 1}, 5);  // would fail the checks
  const auto program = Harvest(fake);
  REQUIRE(program.ok());
  CHECK((*program)->counts.method_datas == 1);
  CHECK((*program)->classes[1].is_previous_version);
}

// A JVM that unloads its last class after that was read.
class Unloading final : public Memory {
 public:
  explicit Unloading(const FakeProgram& program) : program_(program) {}
  bool Read(Address from, void* into, size_t size) const override {
    if (!program_.vm.Read(from, into, size)) return false;
    // A new cache reads the first block again.
    if (from == FakeHotSpot::kBase && ++first_reads_ > 1)
      std::memset(static_cast<char*>(into) + (program_.loader + 8 - from), 0, 8);
    return true;
  }

 private:
  const FakeProgram& program_;
  mutable int first_reads_ = 0;
};

TEST_CASE("a class that is unloaded while it is read is left out") {
  FakeProgram fake;
  const Address klass = fake.vm.Class(fake.vm.Loader(), "b/B");
  fake.vm.Data(fake.vm.Method(klass, fake.pool, {177}, 7), {}, 1);
  const Unloading memory(fake);
  const auto program = HarvestProgram(memory, fake.vm.layout(), NoFlags(), 0);
  REQUIRE(program.ok());
  CHECK((*program)->counts.unloaded_classes == 1);
  CHECK((*program)->counts.method_datas == 1);
  CHECK((*program)->counts.counts == 8);
  CHECK((*program)->classes[1].stable_name.empty());
  CHECK((*program)->methods[1].invocations == 0);
  Profile profile;
  profile.AddStandardTypes();
  WriteHarvest(**program, RawScales(**program), {}, profile);
  CHECK(profile.Total(Table::kCalls) == 8);
}

// A JVM that ends after its classes were read.
class Ending final : public Memory {
 public:
  explicit Ending(const FakeProgram& program) : program_(program) {}
  bool Read(Address from, void* into, size_t size) const override {
    if (from == FakeHotSpot::kBase && size == BlockCache::kBlockBytes) ++first_reads_;
    return first_reads_ <= 1 && program_.vm.Read(from, into, size);
  }

 private:
  const FakeProgram& program_;
  mutable int first_reads_ = 0;
};

TEST_CASE("a JVM that ends while it is read gives no profile") {
  const FakeProgram fake;
  CHECK_FALSE(HarvestProgram(Ending(fake), fake.vm.layout(), NoFlags(), 0).ok());
}

// Many methods with ten counts each; `failed` of their MethodDatas belong to another method.
Result<std::unique_ptr<HarvestedProgram>> HarvestMany(int methods, int failed) {
  FakeProgram fake;
  for (int m = 0; m + 1 < methods; ++m) {
    const Address klass = fake.vm.Class(fake.loader, "m/M" + std::to_string(m));
    const Address data = fake.vm.Data(fake.vm.Method(klass, fake.pool, {177}, 4), {}, 6);
    if (m < failed) fake.vm.Put(data, klass);
  }
  return Harvest(fake);
}

TEST_CASE("up to one per cent may fail, and what cannot be read weighs what is known of it") {
  const auto program = HarvestMany(200, 2);
  // Two of 200, but 2 * 4 of 199 * 10 - 2 * 6 + 100 counts.
  REQUIRE_FALSE(program.ok());
  CHECK(program.status().message().find("hold 8 of 2078 counts") != std::string::npos);
  CHECK(HarvestMany(200, 3).status().message().find("3 of its 200 MethodDatas") !=
        std::string::npos);
  CHECK(HarvestMany(200, 0).ok());
}

TEST_CASE("what fails a check is refused with its name") {
  const auto refused = [](const FakeProgram& fake) {
    const auto program = Harvest(fake);
    REQUIRE_FALSE(program.ok());
    return program.status().message();
  };
  {
    FakeProgram fake;  // a branch where there is none
    fake.vm.Put(fake.data + 24 + 7 * 8, uint64_t{7} << 16 | 7);
    CHECK(refused(fake) ==
          "is refused: 1 of its 1 MethodDatas do not pass the checks, so their layout is not known "
          "for certain (a/A.run()V: its records do not fit its bytecode)");
  }
  {
    FakeProgram fake;  // another method's data
    fake.vm.Put(fake.data, fake.klass);
    CHECK(refused(fake).find("it cannot be read") != std::string::npos);
  }
  {
    FakeProgram fake;  // cut off
    fake.vm.Put(fake.data + 8, int32_t{80});
    CHECK(refused(fake).find("do not end where its data ends") != std::string::npos);
  }
  {
    FakeProgram fake;  // an instruction that no interpreter has
    fake.vm.Put(*fake.vm.Load<Address>(fake.method) + 24, uint8_t{238});
    CHECK(refused(fake).find("its bytecode is not understood") != std::string::npos);
  }
  {
    FakeProgram fake;
    fake.vm.Put(fake.method + 8, Address{0});
    CHECK(refused(fake).find("has no MethodData to harvest") != std::string::npos);
  }
  {
    FakeProgram fake;  // a list of classes without an end
    fake.vm.Put(fake.klass + fake.vm.layout().klass.loader, Address{1});
    CHECK(refused(fake).find("has a list of classes that could not be read") != std::string::npos);
  }
}

TEST_CASE("memory that was changed at random gives a profile or a refusal") {
  std::mt19937 random(1);
  int harvested = 0;
  for (int run = 0; run < 2000; ++run) {
    FakeProgram fake;
    for (auto changes = 1 + random() % 4; changes > 0; --changes)
      fake.vm.bytes()[random() % fake.vm.used()] = static_cast<uint8_t>(random());
    const auto program = Harvest(fake);
    if (!program.ok()) {
      CHECK_FALSE(program.status().message().empty());
      continue;
    }
    ++harvested;
    Profile profile;
    profile.AddStandardTypes();
    WriteHarvest(**program, RawScales(**program), {}, profile);
    for (const Table table : kAllTables) CHECK(profile.Total(table) >= 0);
  }
  CHECK(harvested > 0);
  CHECK(harvested < 2000);
}

}  // namespace
}  // namespace iprof::hotspot
