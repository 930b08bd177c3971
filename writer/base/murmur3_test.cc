#include "writer/base/murmur3.h"

#include <catch2/catch.hpp>
#include <string>

namespace iprof {

// Vectors of the published algorithm, seed 0 (other implementations print the same).
TEST_CASE("MurmurHash3_x64_128 gives the published values", "[murmur3]") {
  CHECK(Murmur3("") == Hash128{0, 0});
  CHECK(Murmur3("hello") == Hash128{0xcbd8a7b341bd9b02, 0x5b1e906a48ae1d19});
  CHECK(Murmur3("hello, world") == Hash128{0x342fac623a5ebc8e, 0x4cdcbc079642414d});
  CHECK(Murmur3("19 Jan 2038 at 3:14:07 AM") == Hash128{0xb89e5988b737affc, 0x664fc2950231b2cb});
  CHECK(Murmur3("The quick brown fox jumps over the lazy dog.") ==
        Hash128{0xcd99481f9ee902c9, 0x695da1a38987b6e7});
}

TEST_CASE("Every length changes the hash", "[murmur3]") {
  std::string text;
  Hash128 last = Murmur3(text);
  for (int i = 0; i < 40; ++i) {
    text += 'a';
    const Hash128 hash = Murmur3(text);
    CHECK_FALSE(hash == last);
    last = hash;
  }
}

}  // namespace iprof
