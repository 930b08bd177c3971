// Hashing for the profile's tables: a multiply-and-fold mixer with a seed, in two rounds. With one, some
// seeds put consecutive numbers into few slots, and a table takes hundreds of probes for each.
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

// One round: for what is mixed again.
inline uint64_t FoldHash(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t MixHash(uint64_t a, uint64_t b) {
  return FoldHash(FoldHash(a ^ 0x9e3779b97f4a7c15u, b ^ 0xc2b2ae3d27d4eb4fu), 0xd6e8feb86659fd93u);
}

uint64_t HashBytes(std::string_view bytes, uint64_t seed);

// For std::unordered_map. Also looks texts up without a copy, if the map compares with std::equal_to<>.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const {
    static const uint64_t seed = ProcessHashSeed();
    return HashBytes(text, seed);
  }
};

}  // namespace iprof
