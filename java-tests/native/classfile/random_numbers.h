// RandomNumbers: pseudo-random numbers for fuzzing and tests.
//
// Guarantees: the same seed gives the same numbers on every machine. Threads: one per object.
// Failure: none.
#pragma once

#include <cstdint>

namespace iprof::classfile {

class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : state_(seed * 2 + 1) {}

  // A number from 0 to below-1; 0 if below is 0.
  uint32_t Next(uint32_t below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return below == 0 ? 0 : static_cast<uint32_t>((state_ >> 33) % below);
  }
  bool OneIn(uint32_t n) { return Next(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace iprof::classfile
