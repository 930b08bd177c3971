#include "writer/base/number_map.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

namespace iprof {
namespace {

TEST_CASE("a map has what was added, whether its memory was reserved or not") {
  for (const size_t reserved : {size_t{0}, size_t{100}, size_t{50'000}}) {
    std::mt19937_64 random(9);
    NumberMap<uint32_t> map;
    std::map<uint64_t, uint32_t> wanted;
    CHECK(map.Find(8) == nullptr);
    map.Expect(8);  // nothing is there yet
    map.Reserve(reserved);
    for (uint32_t i = 0; i < 20'000; ++i) {
      const uint64_t at = 8 * (1 + random() % 30'000);
      map.Expect(at);
      const auto [value, is_new] = map.TryAdd(at);
      REQUIRE(is_new == !wanted.contains(at));
      if (is_new) *value = wanted[at] = i;
    }
    map.Reserve(3);  // never takes memory away
    for (uint64_t at = 8; at <= 8 * 30'000; at += 8) {
      const auto known = wanted.find(at);
      const uint32_t* const found = map.Find(at);
      REQUIRE((found != nullptr) == (known != wanted.end()));
      if (found != nullptr) REQUIRE(*found == known->second);
    }
    map.Clear();
    CHECK(map.Find(wanted.begin()->first) == nullptr);
    CHECK(map.TryAdd(wanted.begin()->first).second);
  }
}

TEST_CASE("the number 0 is in no map") {
  NumberMap<int> map;
  map.Reserve(1);
  map.Expect(0);
  CHECK(map.Find(0) == nullptr);
}

}  // namespace
}  // namespace iprof
