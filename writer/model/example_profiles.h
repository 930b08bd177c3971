// Profiles for tests, fuzz seeds and benchmarks: random ones of any odd kind, and ones of the shape
// of real files.
//
// Guarantees: the same arguments give the same profile on every machine (own generator, no std
// distributions). Not part of the products. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "writer/model/model.h"

namespace iprof {

// splitmix64: small, fast, the same everywhere.
class RepeatableRandom {
 public:
  explicit RepeatableRandom(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  // 0 <= result < bound
  uint64_t Below(uint64_t bound) { return bound == 0 ? 0 : Next() % bound; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

// Small profiles with everything in them that the format allows: sparse ids, names with quotes,
// controls and surrogates, switches with repeated successors, saturated counts, empty records,
// unknown keys.
// kOfficial: only what the official schema's patterns allow (call contexts at bci 0) and other
// tools can digest (no line ends or lone surrogates in names).
enum class ExampleKind : uint8_t { kAnything, kOfficial };
Profile MakeRandomProfile(uint64_t seed, ExampleKind kind = ExampleKind::kAnything);

// Like a real file: scale 1 has 5,000 types, 42,000 methods, 10,000 call, 7,000 conditional and 600
// virtual contexts; depth median 2-3, 99th percentile 8-13, at most 19. Another seed: the same
// program with other counts and partly other contexts, as several runs have.
Profile MakeShapedProfile(size_t scale, uint64_t seed);

// What the two differ in, as one line of text; empty when they are equal (indices, ids, order and
// all).
std::string FirstDifference(const Profile& a, const Profile& b);

}  // namespace iprof
