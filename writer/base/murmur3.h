// MurmurHash3_x64_128, seed 0: identifies class files that were seen before, and is part of
// the stable names of lambdas from JDK 23 on. So its result must be exactly that of the
// published algorithm.
//
// Guarantees: pure; allocates nothing. Threads: any. Failure: none.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace iprof {

struct Hash128 {
  uint64_t low = 0;   // h1 of the published algorithm
  uint64_t high = 0;  // h2
  bool operator==(const Hash128&) const = default;
};

Hash128 Murmur3(std::span<const uint8_t> bytes);
Hash128 Murmur3(std::string_view text);

}  // namespace iprof
