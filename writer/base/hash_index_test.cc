#include "writer/base/hash_index.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

namespace iprof {

TEST_CASE("an index contains the same as a set, through growth, erasure and collisions",
          "[hash_index]") {
  HashIndex index;
  std::set<uint32_t> kept;
  std::mt19937 random(1);
  // Few different hashes: long runs that wrap around and close up again.
  const auto hash = [](uint32_t number) { return number % 37 * 0x1000001u; };
  for (int step = 0; step < 100'000; ++step) {
    const auto number = static_cast<uint32_t>(random() % 600);
    if (kept.erase(number) > 0) {
      index.Erase(hash(number), number);
    } else {
      index.Insert(hash(number), number);
      kept.insert(number);
    }
    const auto asked = static_cast<uint32_t>(random() % 600);
    const uint32_t found = index.Find(hash(asked), [&](uint32_t n) { return n == asked; });
    if ((found == asked) != kept.contains(asked)) FAIL("step " << step << ", number " << asked);
  }
  CHECK(index.size() == kept.size());
}

TEST_CASE("an index gives memory back", "[hash_index]") {
  HashIndex index;
  for (uint32_t i = 0; i < 100'000; ++i) index.Insert(i * 2654435761u, i);
  const size_t full = index.MemoryBytes();
  for (uint32_t i = 0; i < 100'000; ++i) index.Erase(i * 2654435761u, i);
  CHECK(index.size() == 0);
  CHECK(index.MemoryBytes() * 100 < full);
}

TEST_CASE("a number takes another one's place", "[hash_index]") {
  HashIndex index;
  index.Insert(5, 1);
  index.Insert(5, 2);
  index.Replace(5, 1, 3);
  const auto has = [&](uint32_t number) {
    return index.Find(5, [&](uint32_t n) { return n == number; }) == number;
  };
  CHECK_FALSE(has(1));
  CHECK(has(2));
  CHECK(has(3));
  index.Erase(5, 9);
  CHECK(index.size() == 2);
}

}  // namespace iprof
