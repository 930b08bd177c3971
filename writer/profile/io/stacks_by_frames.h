// ByFrames: a table of stacks. The weights of the keys play no part, and their frames must stay.
//
// Threads: as of an unordered_map. Failure: none but std::bad_alloc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "writer/base/hash.h"
#include "writer/profile/io/split_part.h"

namespace iprof {

struct FramesHash {
  size_t operator()(const StackView& stack) const {
    static const uint64_t seed = ProcessHashSeed();
    uint64_t hash = seed;
    for (size_t i = 0; i < stack.frames.size(); ++i) {
      const Frame frame = stack.At(i);
      const uint64_t position =
          (uint64_t{static_cast<uint32_t>(frame.method)} << 32) | static_cast<uint32_t>(frame.bci);
      hash = MixHash(hash, position);
    }
    return static_cast<size_t>(hash);
  }
};

struct SameFrames {
  bool operator()(const StackView& a, const StackView& b) const {
    if (a.frames.size() != b.frames.size()) return false;
    return a.frames.empty() ||
           (a.At(0) == b.At(0) &&
            std::equal(a.frames.begin() + 1, a.frames.end(), b.frames.begin() + 1));
  }
};

template <typename Value>
using ByFrames = std::unordered_map<StackView, Value, FramesHash, SameFrames>;

}  // namespace iprof
