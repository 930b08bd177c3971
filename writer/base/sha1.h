// SHA-1: part of the stable names of lambdas up to JDK 21, so its result must be the published
// algorithm's (FIPS 180-4). Names need no protection against attackers; for anything that does, use
// something else.
//
// Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace iprof {

using Sha1Digest = std::array<uint8_t, 20>;

Sha1Digest Sha1(std::string_view bytes);

}  // namespace iprof
