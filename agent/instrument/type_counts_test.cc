#include "agent/instrument/type_counts.h"

#include <catch2/catch.hpp>

namespace iprof::instrument {

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

}  // namespace iprof::instrument
