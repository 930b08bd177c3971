// Hashing for the profile's tables: a multiply-and-fold mixer with a seed.
//
// Guarantees: the seed differs from process to process (it comes from the kernel's AT_RANDOM), so
// that no input file can be constructed to make hashes collide. Output never depends on hash
// values, so it is deterministic. Nothing is allocated.
// Threads: any. Failure: none; without AT_RANDOM the seed is a constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace iprof {

uint64_t ProcessHashSeed();

inline uint64_t MixHash(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xc2b2ae3d27d4eb4fu);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t HashBytes(std::string_view bytes, uint64_t seed);

}  // namespace iprof
