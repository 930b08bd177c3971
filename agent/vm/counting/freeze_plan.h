// FreezePlan: which methods to freeze now, from what each of them counted lately, and whether it pays.
//
// Guarantees: pure. The hottest come first: those with most increments per second. A method that
// counts slowly stays: it costs nothing, and its exact counts keep the estimates of others true.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iprof::vm {

// A method that counts.
struct MethodLoad {
  uint64_t counted = 0;         // its largest counter
  double increments_per_s = 0;  // of all its counters
  bool may_freeze = true;
};

struct FreezeLimits {
  uint64_t until = 0;  // increments of one counter
  // How many increments per second all methods together may go on with; negative: only those of
  // methods that have not reached `until`, or that count slower than kIdle.
  double increments_per_s = -1;
};

// Below this, a method's increments cost less than one part in 100,000 of a processor.
inline constexpr double kIdle = 20'000;

// Numbers of methods, hottest first.
std::vector<size_t> ChooseMethods(const std::vector<MethodLoad>& methods,
                                  const FreezeLimits& limits);

// What speaks for a round of swaps, and what against it.
struct RoundStakes {
  // Processor time that the increments of the chosen methods took since the last swap, or before the first
  // one since the beginning.
  double counted_s = 0;
  // That of the JVM's compilers in the same time. A round makes them do much of it again.
  double compiled_s = 0;
};

// A round pays once the methods have cost as much as the round will. How long the program will run
// is not known. With this rule, freezing never costs much more than twice what the better choice would
// have cost: to freeze at once, or never.
bool RoundPays(const RoundStakes& stakes);

// What methods cost that thaw for a while. All in processor time.
struct ThawStakes {
  double recorded_s = 0;   // the recording so far
  double swapped_s = 0;    // what the compilers took because of all swaps so far
  double last_swap_s = 0;  // and because of the last one
  bool is_first = false;   // no method has thawed so far
};

// Whether methods may thaw for a while. The compilers then do the work of a round twice, now and when the
// methods freeze again, and meanwhile counting costs as much. The first time, that may take a tenth of the
// recording, so that a second phase is noticed soon. Later all swaps together may take a fiftieth.
bool ThawPays(const ThawStakes& stakes);

}  // namespace iprof::vm
