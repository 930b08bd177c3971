#include "agent/harvest/handle_reader.h"

#include <catch2/catch.hpp>

#include "agent/harvest/fake_hotspot.h"
#include "agent/hotspot/block_cache.h"

namespace iprof::hotspot {
namespace {

constexpr uint32_t kEntry = 2;  // of the site, in the cache of its pool

// A heap with 4-byte references, and classes as they are in java.lang.invoke.
class Heap {
 public:
  Heap() : layout(vm.layout()), loader(vm.Loader()) {
    layout.heap = MetadataLayout::Heap{
        .klass = 8, .references = 8, .base = 0, .klass_base = 0, .shift = 0, .klass_shift = 3};
    layout.cache.length = 24;  // behind the references
    layout.cache.size = 32;
    layout.cache.entry_size = 32;
    object = Class("java/lang/Object");
    array = Class("[Ljava/lang/Object;");
    ints = Class("[I");
    mirror = Class("java/lang/Class", object);
    form = Class("java/lang/invoke/LambdaForm", object);
    member = Class("java/lang/invoke/MemberName", object);
    resolved = Class("java/lang/invoke/ResolvedMethodName", object);
    handle = Class("java/lang/invoke/MethodHandle", object);
    bound = Class("java/lang/invoke/BoundMethodHandle", handle);
    direct = Class("java/lang/invoke/DirectMethodHandle", handle);
    site = Class("java/lang/invoke/CallSite", object);
  }

  uint32_t Class(std::string_view name, uint32_t super = kNoClass) {
    HarvestedClass made;
    made.name = program.Keep(name);
    made.super = super;
    addresses.push_back(vm.Class(loader, name));
    program.classes.push_back(made);
    const auto number = static_cast<uint32_t>(program.classes.size() - 1);
    *numbers.TryAdd(addresses.back()).first = number;
    return number;
  }
  // A method of the last class.
  uint32_t Method(std::string_view name, uint16_t access) {
    HarvestedMethod made;
    made.klass = static_cast<uint32_t>(program.classes.size() - 1);
    made.name = program.Keep(name);
    made.access = access;
    program.methods.push_back(made);
    listed.emplace_back();
    listed.back().at = vm.Allocate(8);
    return static_cast<uint32_t>(program.methods.size() - 1);
  }
  // An object of the class with these references; all objects of a class in a test have one size.
  Address New(uint32_t klass, const std::vector<Address>& references) {
    const size_t size = (12 + 4 * references.size() + 7) / 8 * 8;
    vm.Put(addresses[klass] + layout.klass.layout_helper, static_cast<int32_t>(size));
    const Address at = vm.Allocate(64);
    vm.Put(at + 8, static_cast<uint32_t>(addresses[klass] >> 3));
    for (size_t i = 0; i < references.size(); ++i)
      vm.Put(at + 12 + 4 * i, static_cast<uint32_t>(references[i]));
    return at;
  }
  // A handle that calls a method.
  Address Direct(uint32_t method) {
    const Address name = New(resolved, {0, 0, 0});
    vm.Put(name + 16, listed[method].at);
    return New(direct, {New(form, {0}), 0, New(member, {0, name})});
  }
  Address Counts(int32_t no, int32_t yes) {
    const Address at = New(ints, {});
    vm.Put(at + 12, int32_t{2});
    vm.Put(at + 16, no);
    vm.Put(at + 20, yes);
    return at;
  }

  // A pool with a site that has this object.
  Pool PoolWith(Address called) {
    const Address items = New(array, {1, called});
    const Address slot = vm.Allocate(8);
    vm.Put(slot, items);
    Pool pool;
    pool.cache = vm.Allocate(32 + 32 * (kEntry + 1));
    vm.Put(pool.cache + 8, slot);
    vm.Put(pool.cache + 24, int32_t{kEntry + 1});
    vm.Put(pool.cache + 32 + 32 * kEntry + 16, uint64_t{0});
    return pool;
  }
  std::vector<HandleTarget> TargetsOf(Address called, uint32_t operand = ~kEntry,
                                      References references = References::kNarrow) {
    const Pool pool = PoolWith(called);
    const BlockCache cache(vm);
    Metadata metadata(cache, layout, program.texts);
    return HandleReader(metadata, references, numbers, program, listed).TargetsOf(pool, operand);
  }
  std::vector<uint32_t> ClassesAt(Address called, const std::vector<uint32_t>& classes) {
    const Pool pool = PoolWith(called);
    const BlockCache cache(vm);
    const Metadata metadata(cache, layout, program.texts);
    HandleReader reader(metadata, References::kNarrow, numbers, program, listed);
    return reader.ClassesAt(pool, kEntry, classes);
  }

  FakeHotSpot vm;
  MetadataLayout layout;
  Address loader;
  HarvestedProgram program;
  NumberMap<uint32_t> numbers;
  std::vector<Address> addresses;  // by class
  std::vector<ListedMethod> listed;
  uint32_t object, array, ints, mirror, form, member, resolved, handle, bound, direct, site;
};

struct Targets {
  Heap heap;
  uint32_t klass = heap.Class("a/A", heap.object);
  uint32_t one = heap.Method("one", 9);
  uint32_t two = heap.Method("two", 9);
  uint32_t three = heap.Method("three", 9);
  uint32_t run = heap.Method("run", 1);
};

TEST_CASE("a handle names its method, directly or through a call site") {
  Targets targets;
  Heap& heap = targets.heap;
  const Address direct = heap.Direct(targets.one);
  const Address other = heap.Direct(targets.two);
  for (const Address called : {direct, heap.New(heap.site, {direct, other})}) {
    const auto found = heap.TargetsOf(called);
    REQUIRE(found.size() == 1);
    CHECK(found[0].method == targets.one);
    CHECK(found[0].share == 1);
    CHECK_FALSE(found[0].is_virtual);
  }
}

TEST_CASE("a guard passes on what its counters tell") {
  Targets targets;
  Heap& heap = targets.heap;
  const Address guard = heap.New(
      heap.bound, {heap.New(heap.form, {0}), 0, heap.Direct(targets.one), heap.Direct(targets.two),
                   heap.Direct(targets.three), heap.Counts(10, 30)});
  const auto found = heap.TargetsOf(guard);
  REQUIRE(found.size() == 3);
  CHECK(found[0].share == 1);
  CHECK(found[1].share == 0.75);
  CHECK(found[2].share == 0.25);
}

TEST_CASE("neither the cache of converted handles nor the handler of an exception is called") {
  Targets targets;
  Heap& heap = targets.heap;
  const Address type = heap.New(heap.mirror, {});
  const Address called =
      heap.New(heap.bound, {heap.New(heap.form, {0}), heap.Direct(targets.one),
                            heap.Direct(targets.two), type, heap.Direct(targets.three)});
  const auto found = heap.TargetsOf(called);
  REQUIRE(found.size() == 1);
  CHECK(found[0].method == targets.two);
}

TEST_CASE("a virtual method belongs to the object that is bound") {
  Targets targets;
  Heap& heap = targets.heap;
  const uint32_t sub = heap.Class("a/Sub", targets.klass);
  const auto alone = heap.TargetsOf(heap.Direct(targets.run));
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].is_virtual);
  CHECK(alone[0].receiver == kNoClass);
  const Address called = heap.New(
      heap.bound, {heap.New(heap.form, {0}), 0, heap.Direct(targets.run), heap.New(sub, {})});
  const auto found = heap.TargetsOf(called);
  REQUIRE(found.size() == 1);
  CHECK(found[0].receiver == sub);
}

TEST_CASE("a site leads to the class of the object that it returns, or to the one that it makes") {
  Targets targets;
  Heap& heap = targets.heap;
  const uint32_t old = heap.Class("a/Old", heap.object);
  const uint32_t present = heap.Class("a/New", heap.object);
  const uint32_t init = heap.Method("<init>", 2);
  using Classes = std::vector<uint32_t>;
  const Address returned =
      heap.New(heap.bound, {heap.New(heap.form, {0}), 0, heap.New(present, {})});
  CHECK(heap.ClassesAt(returned, {old, present}) == Classes{present});
  CHECK(heap.ClassesAt(heap.Direct(init), {old, present}) == Classes{present});
  CHECK(heap.ClassesAt(heap.Direct(init), {old}).empty());
  CHECK(heap.ClassesAt(0, {old, present}).empty());
}

TEST_CASE("handles that contain each other end") {
  Targets targets;
  Heap& heap = targets.heap;
  const Address form = heap.New(heap.form, {0});
  const Address one = heap.New(heap.bound, {form, 0, 0, 0});
  const Address two = heap.New(heap.bound, {form, 0, one, one});
  heap.vm.Put(one + 20, static_cast<uint32_t>(two));
  heap.vm.Put(one + 24, static_cast<uint32_t>(two));
  CHECK(heap.TargetsOf(one).empty());
}

TEST_CASE("what is no listed class, no entry, or encoded in another way leads nowhere") {
  Targets targets;
  Heap& heap = targets.heap;
  const Address direct = heap.Direct(targets.one);
  CHECK(heap.TargetsOf(direct).size() == 1);
  CHECK(heap.TargetsOf(direct, ~(kEntry + 1)).empty());
  CHECK(heap.TargetsOf(direct, ~kEntry, References::kUnknown).empty());
  CHECK(heap.TargetsOf(0).empty());
  CHECK(heap.TargetsOf(0xFFFFFFF8).empty());
  heap.vm.Put(direct + 8, uint32_t{0x1234});
  CHECK(heap.TargetsOf(direct).empty());
}

}  // namespace
}  // namespace iprof::hotspot
