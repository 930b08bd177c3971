#include "writer/base/hash.h"

#include <sys/auxv.h>

#include <cstring>

namespace iprof {

uint64_t ProcessHashSeed() {
  uint64_t seed = 0x5bd1e9955bd1e995u;
  const auto random = getauxval(AT_RANDOM);  // the address of 16 random bytes
  if (random != 0) std::memcpy(&seed, reinterpret_cast<const void*>(random), sizeof(seed));
  return seed;
}

uint64_t HashBytes(std::string_view bytes, uint64_t seed) {
  const char* at = bytes.data();
  size_t left = bytes.size();
  uint64_t hash = MixHash(seed, left);
  while (left > 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    hash = MixHash(hash ^ word, seed);
    at += 8;
    left -= 8;
  }
  uint64_t tail = 0;
  if (left != 0) std::memcpy(&tail, at, left);
  return MixHash(hash ^ tail, seed + 1);
}

}  // namespace iprof
