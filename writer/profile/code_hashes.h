// CodeHashes: for each method of a profile a hash of its code, as far as it is known.
//
// Guarantees: keeps the highest kCodeHashBits of a hash, and the code's length. 0 means that it is not known; a known hash
// never becomes 0. Takes no memory before the first hash.
// Threads: as Profile. Failure: std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "writer/base/code_length.h"
#include "writer/profile/model.h"

namespace iprof {

// What a profile keeps of a hash.
constexpr uint64_t KeptCodeHash(uint64_t hash) {
  constexpr int kDropped = 64 - kCodeHashBits;
  const uint64_t kept = hash >> kDropped << kDropped;
  return (hash != 0 && kept == 0 ? uint64_t{1} << kDropped : kept) | CodeLengthIn(hash);
}
// Of two hashes that a profile keeps, and that are known.
constexpr bool IsSameCode(uint64_t a, uint64_t b) { return (a ^ b) >> (64 - kCodeHashBits) == 0; }

class CodeHashes {
 public:
  void Set(MethodIndex method, uint64_t hash) {
    const uint64_t kept = KeptCodeHash(hash);
    const auto at = static_cast<size_t>(method);
    if (at >= hashes_.size()) {
      if (kept == 0) return;
      hashes_.resize(at + 1);
    }
    hashes_[at] = kept;
  }
  uint64_t Of(MethodIndex method) const {
    const auto at = static_cast<size_t>(method);
    return at < hashes_.size() ? hashes_[at] : 0;
  }
  bool empty() const { return hashes_.empty(); }
  void Clear() { hashes_.clear(); }
  size_t MemoryBytes() const { return hashes_.capacity() * sizeof(uint64_t); }

 private:
  std::vector<uint64_t> hashes_;  // by method; may be shorter
};

}  // namespace iprof
