// Profiles for tests, fuzz seeds and benchmarks: random ones with unusual content, and ones with
// the shape of real files.
//
// Guarantees: the same arguments give the same profile on every machine (it has its own generator,
// no std distributions). Not part of the products.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>

#include "writer/profile/event_tables.h"
#include "writer/profile/model.h"

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

// Small profiles with everything that the format allows: sparse ids, names with quotes, controls
// and surrogates, switches with repeated successors, saturated counts, empty records, unknown keys.
// kOfficial: only what the official schema's patterns allow (call contexts at bci 0) and other
// tools can read (no line ends or lone surrogates in names).
enum class ExampleKind : uint8_t { kAnything, kOfficial };
Profile MakeRandomProfile(uint64_t seed, ExampleKind kind = ExampleKind::kAnything);

// Like a real file: scale 1 has 5,000 types, 42,000 methods, 10,000 call, 7,000 conditional and 600
// virtual contexts; depth median 2-3, 99th percentile 8-13, at most 19. Profiles with different
// seeds are like several runs of a program: other counts and some other contexts.
Profile MakeShapedProfile(size_t scale, uint64_t seed);

// Allocations and waits of one program. a.Main.main calls a.Main.load, which calls java.util.Arrays.copyOf. By class and thread:
//   [B in copyOf < load < main, in main     6,000,000 bytes in 60 objects, 12 samples; alive 2,000,000 in 20, 4 samples
//   [B in copyOf < load, in pool-*-thread-* 1,000,000 bytes in 10 objects, 2 samples
//   a.Node in load < main, in main          3,000,000 bytes in 100,000 objects, 6 samples; alive 3,000,000 in 100,000, 6 samples
//   a.Lock at load:30 < main, in main       5 ms in 2 waits for a monitor that a stack load:40 owned
//   a.Lock in LockSupport.park < load       20 ms in 4 waits, in pool-*-thread-*
EventTables MakeExampleEvents();

// The first difference of the two as a line of text; empty if they are equal, including indices,
// ids and order.
std::string FirstDifference(const Profile& a, const Profile& b);

}  // namespace iprof
