// A hash of a method's code carries the code's length in its lowest 16 bits, so that whoever has the hash knows which
// positions there are.
//
// Guarantees: pure. 0 is a hash that is not known, and has no length. Versions of a method are told apart by the highest
// bits alone, since hashes of profiles that are older have no length.
// Threads: any. Failure: none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace iprof {

inline constexpr uint64_t kCodeLengthBits = 0xffff;

constexpr uint64_t WithCodeLength(uint64_t hash, size_t length) {
  return hash == 0 ? 0 : (hash & ~kCodeLengthBits) | (length & kCodeLengthBits);
}
// 0: not known.
constexpr uint32_t CodeLengthIn(uint64_t hash) {
  return static_cast<uint32_t>(hash & kCodeLengthBits);
}

}  // namespace iprof
