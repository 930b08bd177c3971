#include "writer/records/type_counts.h"

#include <catch2/catch.hpp>
#include <string>

namespace iprof {

TEST_CASE("Counts of one class at one site add up, sites are apart", "[type_counts]") {
  TypeCounts counts;
  counts.Add(7, "a.B", 3);
  counts.Add(7, "a.C", 1);
  counts.Add(7, "a.B", 4);
  counts.Add(8, "a.B", 100);
  counts.AddLost(7, 2);
  const TypeCounts::Site* site = counts.Find(7);
  REQUIRE(site != nullptr);
  REQUIRE(site->types.size() == 2);
  CHECK(counts.TypeName(site->types[0].first) == "a.B");
  CHECK(site->types[0].second == 7);
  CHECK(site->types[1].second == 1);
  CHECK(site->lost == 2);
  CHECK(counts.Find(8)->types[0].second == 100);
  CHECK(counts.Find(9) == nullptr);
}

TEST_CASE("Tables with their own numbering of names add up by name", "[type_counts]") {
  TypeCounts one;
  one.Add(1, "x.First", 1);
  one.Add(1, "x.Second", 2);
  TypeCounts other;
  other.Add(1, "x.Second", 20);
  other.Add(1, "x.Third", 30);
  other.AddLost(1, 5);
  one.AddAll(other);
  const TypeCounts::Site* site = one.Find(1);
  REQUIRE(site->types.size() == 3);
  uint64_t second = 0;
  for (const auto& [type, count] : site->types) {
    if (one.TypeName(type) == "x.Second") second = count;
  }
  CHECK(second == 22);
  CHECK(site->lost == 5);
}

TEST_CASE("A site that is forgotten leaves neither counts nor names", "[type_counts]") {
  TypeCounts counts;
  counts.Add(1, "stays.Here", 1);
  size_t after_some = 0;
  for (int i = 0; i < 20'000; ++i) {
    for (int type = 0; type < 1 + i % 5; ++type)
      counts.Add(7, "gone.Type" + std::to_string(i + type), 1);
    counts.AddLost(7, 1);
    counts.Forget(7);
    if (i == 100) after_some = counts.bytes();
  }
  CHECK(counts.bytes() == after_some);
  CHECK(counts.Find(7) == nullptr);
  CHECK(counts.TypeName(counts.Find(1)->types[0].first) == "stays.Here");
}

TEST_CASE("Beyond the limit known classes count on, new ones are lost", "[type_counts]") {
  TypeCounts counts;
  counts.LimitBytes(20'000);
  for (int i = 0; i < 10'000; ++i) counts.Add(1, "new.Type" + std::to_string(i), 1);
  CHECK(counts.bytes() < 25'000);
  const TypeCounts::Site* site = counts.Find(1);
  REQUIRE(site->types.size() > 100);
  CHECK(site->types.size() + site->lost == 10'000);
  CHECK(counts.beyond_limit() == site->lost);
  const uint64_t lost = site->lost;
  counts.Add(1, "new.Type0", 5);
  CHECK(counts.Find(1)->lost == lost);
}

TEST_CASE("A site may meet very many classes", "[type_counts]") {
  TypeCounts counts;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 70'000; ++i) counts.Add(1, "a.Type" + std::to_string(i), 1);
  }
  const TypeCounts::Site* site = counts.Find(1);
  CHECK(site->types.size() == 65'536);
  CHECK(site->lost == 2 * (70'000 - 65'536));
}

}  // namespace iprof
