#include "writer/base/hash.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

namespace iprof {
namespace {

// How many slots a table with linear probing looks at for each number, if it is three quarters full.
template <typename HashOf>
double ProbesFor(HashOf hash_of) {
  constexpr size_t kSlots = 1 << 12;
  std::vector<bool> is_taken(kSlots);
  size_t probes = 0;
  for (uint32_t number = 0; number < kSlots * 3 / 4; ++number) {
    size_t at = hash_of(number) % kSlots;
    for (++probes; is_taken[at]; ++probes) at = (at + 1) % kSlots;
    is_taken[at] = true;
  }
  return static_cast<double>(probes) / (kSlots * 3 / 4);
}

TEST_CASE("consecutive numbers are spread over a table with every seed") {
  std::mt19937_64 random(5);
  double most = 0;
  for (int run = 0; run < 2000; ++run) {
    const uint64_t seed = random();
    most = std::max(most, ProbesFor([&](uint64_t number) { return MixHash(number, seed); }));
    most = std::max(most, ProbesFor([&](uint64_t number) { return MixHash(number << 32, seed); }));
  }
  CHECK(most < 4);  // 2.5 for random numbers
}

TEST_CASE("names that end in consecutive numbers are spread over a table with every seed") {
  std::mt19937_64 random(6);
  double most = 0;
  for (int run = 0; run < 200; ++run) {
    const uint64_t seed = random();
    most = std::max(most, ProbesFor([&](uint64_t number) {
                      return HashBytes("a.Class$" + std::to_string(number), seed);
                    }));
  }
  CHECK(most < 4);
}

TEST_CASE("the hash of a text depends on all of it, on its length and on the seed") {
  const std::string all = "java.util.HashMap.putVal";
  for (size_t size = 1; size <= all.size(); ++size) {
    const std::string text = all.substr(0, size);
    const uint64_t hash = HashBytes(text, 1);
    CHECK(HashBytes(text, 1) == hash);
    CHECK(HashBytes(text, 2) != hash);
    for (size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] ^= 1;
      CHECK(HashBytes(other, 1) != hash);
      CHECK(HashBytes(text.substr(0, at), 1) != hash);
    }
  }
  CHECK(HashBytes("a", 1) != HashBytes("aa", 1));
  CHECK(HashBytes(std::string("a\0", 2), 1) != HashBytes("a", 1));
}

}  // namespace
}  // namespace iprof
