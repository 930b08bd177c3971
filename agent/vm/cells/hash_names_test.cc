// Without a JVM: references are just numbers.
#include "agent/vm/cells/hash_names.h"

#include <catch2/catch.hpp>
#include <set>

#include "agent/vm/jvmti/fake_jni.h"

namespace iprof::vm {
namespace {

using Kind = HashNames::Kind;

jweak Class(uintptr_t number) { return FakeReference<jweak>(number); }

// Sweeps; the classes named here are gone.
void SweepWithout(HashNames& names, const std::set<jweak>& gone) {
  names.Sweep([&](jweak reference) { return gone.count(reference) > 0; });
}

TEST_CASE("a hash has the name of its class, from the next Absorb on") {
  HashNames names(1 << 20);
  REQUIRE(names.Add(7, "a.B", Class(1)));
  CHECK(names.Find(7).kind == Kind::kUnknown);
  names.Absorb();
  CHECK(names.Find(7).kind == Kind::kNamed);
  CHECK(names.Find(7).name == "a.B");
  CHECK(names.Find(8).kind == Kind::kUnknown);
}

TEST_CASE("a hash that classes with several names share has none of them") {
  HashNames names(1 << 20);
  REQUIRE(names.Add(7, "a.B", Class(1)));
  REQUIRE(names.Add(7, "a.B", Class(2)));
  REQUIRE(names.Add(9, std::nullopt, Class(3)));
  names.Absorb();
  CHECK(names.Find(7).name == "a.B");
  CHECK(names.Find(9).kind == Kind::kNameless);

  SECTION("another class") { REQUIRE(names.Add(7, "a.C", Class(4))); }
  SECTION("a class that no image has") { REQUIRE(names.Add(7, std::nullopt, Class(4))); }
  names.Absorb();
  CHECK(names.Find(7).kind == Kind::kSeveral);
}

TEST_CASE("a kept name is asked for again once it may have changed") {
  HashNames names(1 << 20);
  REQUIRE(names.Add(7, "a.B", Class(1)));
  names.Absorb();
  const uint64_t before = names.changes();
  REQUIRE(names.Add(8, "a.C", Class(2)));
  names.Absorb();
  names.Absorb();
  SweepWithout(names, {Class(2)});
  CHECK(names.Find(8).name == "a.C");
  CHECK(names.changes() == before);  // all that was found is found again
  SECTION("a class is forgotten") { SweepWithout(names, {}); }
  SECTION("a class gets another one's hash") {
    REQUIRE(names.Add(7, "a.D", Class(3)));
    names.Absorb();
  }
  CHECK(names.changes() != before);
}

TEST_CASE("a class that is gone keeps its name until the second sweep") {
  HashNames names(1 << 20);
  REQUIRE(names.Add(7, "a.B", Class(1)));
  REQUIRE(names.Add(8, "a.B", Class(2)));
  REQUIRE(names.Add(7, "a.C", Class(3)));
  names.Absorb();
  SweepWithout(names, {Class(1)});
  CHECK(names.Find(7).kind == Kind::kSeveral);
  SweepWithout(names, {});
  CHECK(names.Find(7).name == "a.C");
  CHECK(names.Find(8).name == "a.B");
  SweepWithout(names, {Class(2), Class(3)});
  SweepWithout(names, {});
  const auto left = names.statistics();
  CHECK(left.classes == 0);
  CHECK(left.names == 0);
  CHECK(left.bytes == 0);
}

TEST_CASE("a class that is gone is not asked for again") {
  HashNames names(1 << 20);
  REQUIRE(names.Add(7, "a.B", Class(1)));
  names.Absorb();
  SweepWithout(names, {Class(1)});
  int asked = 0;
  names.Sweep([&](jweak) {
    ++asked;
    return false;
  });
  CHECK(asked == 0);
}

TEST_CASE("the limit holds, and there is room again when classes have gone") {
  constexpr size_t kLimit = 64 << 10;
  HashNames names(kLimit);
  std::set<jweak> all;
  int32_t added = 0;
  while (names.Add(added, "some.package.Class" + std::to_string(added),
                   Class(static_cast<uintptr_t>(added) + 1))) {
    all.insert(Class(static_cast<uintptr_t>(added) + 1));
    if (++added % 10 == 0) names.Absorb();
  }
  CHECK(added > 100);
  CHECK(names.statistics().bytes < kLimit + 1024);
  CHECK(names.statistics().refused == 1);
  names.Absorb();
  CHECK(names.Find(added - 1).name == "some.package.Class" + std::to_string(added - 1));
  SweepWithout(names, all);
  SweepWithout(names, {});
  CHECK(names.Add(1, "a.B", Class(1)));
}

TEST_CASE("classes of one name cost their entries alone") {
  HashNames names(1 << 20);
  for (int32_t i = 0; i < 10'000; ++i)
    REQUIRE(names.Add(i, "a.Plugin", Class(static_cast<uintptr_t>(i) + 1)));
  CHECK(names.statistics().names == 1);
  CHECK(names.statistics().bytes < 10'000 * 17);
}

}  // namespace
}  // namespace iprof::vm
