// RandomNumbers: the same seed gives the same numbers on every machine. For fuzzing and tests.
#pragma once

#include <cstdint>

namespace iprof::classfile {

class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : state_(seed * 2 + 1) {}

  // One of 0 … below-1; 0 for 0.
  uint32_t Next(uint32_t below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return below == 0 ? 0 : static_cast<uint32_t>((state_ >> 33) % below);
  }
  bool OneIn(uint32_t n) { return Next(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace iprof::classfile
