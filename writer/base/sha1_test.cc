#include "writer/base/sha1.h"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <string>

namespace iprof {
namespace {

std::string Hex(std::string_view text) {
  std::string hex;
  for (const uint8_t byte : Sha1(text)) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace

// The examples of the standard, and lengths around the end of a block (expected values
// from sha1sum).
TEST_CASE("SHA-1 gives the published values", "[sha1]") {
  CHECK(Hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  CHECK(Hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  CHECK(Hex(std::string(1'000'000, 'a')) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  CHECK(Hex(std::string(55, 'a')) == "c1c8bbdc22796e28c0e15163d20899b65621d65a");
  CHECK(Hex(std::string(56, 'a')) == "c2db330f6083854c99d4b5bfb6e8f29f201be699");
  CHECK(Hex(std::string(63, 'a')) == "03f09f5b158a7a8cdad920bddc29b81c18a551f5");
  CHECK(Hex(std::string(64, 'a')) == "0098ba824b5c16427bd7a1122a5a442a25ec644d");
}

}  // namespace iprof
