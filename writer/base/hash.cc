#include "writer/base/hash.h"

#include <sys/auxv.h>

#include <cstring>

namespace iprof {
namespace {

uint64_t WordAt(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

uint64_t HalfAt(const char* at) {
  uint32_t half;
  std::memcpy(&half, at, sizeof half);
  return half;
}

uint64_t ByteAt(const char* at) { return static_cast<unsigned char>(*at); }

// Up to seven bytes as a number, which differs for different texts of one size. The caller mixes in the size.
uint64_t ShortAt(const char* at, size_t size) {
  if (size >= 4) return HalfAt(at) << 32 | HalfAt(at + size - 4);
  if (size == 0) return 0;
  return ByteAt(at) << 16 | ByteAt(at + size / 2) << 8 | ByteAt(at + size - 1);
}

}  // namespace

uint64_t ProcessHashSeed() {
  static const uint64_t seed = [] {
    uint64_t found = 0x5bd1e9955bd1e995u;
    const auto random = getauxval(AT_RANDOM);  // the address of 16 random bytes
    if (random != 0) std::memcpy(&found, reinterpret_cast<const void*>(random), sizeof(found));
    return found;
  }();
  return seed;
}

uint64_t HashBytes(std::string_view bytes, uint64_t seed) {
  const char* at = bytes.data();
  size_t left = bytes.size();
  uint64_t hash = MixHash(seed, left);
  while (left > 8) {
    hash = FoldHash(hash ^ WordAt(at) ^ 0x9e3779b97f4a7c15u, seed ^ 0xc2b2ae3d27d4eb4fu);
    at += 8;
    left -= 8;
  }
  // The last bytes, together with some that were mixed already, if there are any.
  const uint64_t tail = bytes.size() >= 8 ? WordAt(at + left - 8) : ShortAt(at, left);
  return MixHash(hash ^ tail, seed + 1);
}

}  // namespace iprof
