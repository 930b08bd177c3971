// SHA-1: part of the stable names of lambdas up to JDK 21, so its result must be that of the
// published algorithm (FIPS 180-4). Do not use it for anything that needs protection against
// attackers; names do not.
//
// Guarantees: pure. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace iprof {

using Sha1Digest = std::array<uint8_t, 20>;

Sha1Digest Sha1(std::string_view bytes);

}  // namespace iprof
