// ShapeHistory: which methods are steady, which means that they do the same per entry as they did before;
// and which loop for so long that they should be left alone.
//
// Why: what a method did per entry in one interval says what it will do without counters only if it is no
// mean of two phases, such as a warm-up and the load after it. And HotSpot compiles no old code: a loop
// that runs while its class is swapped goes on in the interpreter until it ends.
//
// It keeps what each counter counted in the interval before the current one.
//
// Guarantees: pure, but for what is kept. A method that was not entered in both intervals is not steady.
// Threads: one at a time. Failure: throws std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "writer/records/class_record.h"
#include "writer/records/counter_range.h"
#include "writer/records/profile_assembly.h"

namespace iprof {

class ShapeHistory {
 public:
  // What a method did per entry may differ by this share.
  static constexpr double kSteady = 0.1;
  // A method that counts so much per entry loops for long. Interpreted, its loop may take half a second.
  static constexpr double kLongLoop = 1e7;

  // What a method did at some time.
  struct Shape {
    std::span<const uint64_t> increments;
    double entries = 0;
  };
  // Nullopt: not known.
  using EarlierShape = std::function<std::optional<Shape>(CounterIndex)>;

  // An interval has ended: the counters at its begin and its end.
  void Note(std::span<const uint64_t> begin, std::span<const uint64_t> end);
  void Clear() { previous_.clear(); }
  // These counters will belong to other methods.
  void Forget(CounterRange range);

  struct Verdicts {
    std::vector<CounterIndex> steady;   // in the current interval
    std::vector<CounterIndex> looping;  // for long in this interval
  };
  // About these methods. `earlier` is asked where a method did not count in the interval before.
  Verdicts Examine(const ClassSource& classes, std::span<const uint64_t> begin,
                   std::span<const uint64_t> now, std::span<const CounterIndex> methods,
                   const EarlierShape& earlier) const;

  size_t bytes() const { return previous_.capacity() * sizeof(uint64_t); }

 private:
  std::vector<uint64_t> previous_;
};

}  // namespace iprof
