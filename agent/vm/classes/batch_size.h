// BatchSize: how many classes to retransform at a time.
//
// Every batch stops the whole program once. The pause has a part that does not depend on the batch, since the
// JVM walks all loaded classes, and a part for each class in the batch. A busy machine makes both longer.
//
// The rule: a pause should not exceed the limit. The limit is the budget or, if that is more, twice what a batch
// of one class takes: smaller batches would then hardly shorten the pauses, only add to them. The next batch has
// as many classes as would have kept the limit if the pause were in proportion to the classes, at most twice as
// many as this one. After two long pauses in a row comes a batch of one class, to measure what that takes now.
//
// Example: a budget of 50 ms. A batch takes 5 ms, and 0.2 ms for each class.
//   1 class takes 5.2 ms, so the limit is 50 ms. The batches grow: 2, 4, ... 128, 209 (46.8 ms), 223, 224 (49.8 ms).
//   The machine gets busy, and everything takes 20 times as long:
//   224 classes take 996 ms. 224 x 50 / 996 = 11 would fit; they take 144 ms, which is long again.
//   1 class takes 104 ms, so the limit is 208 ms. The 11 classes did not exceed that: 11, 15, ... 26 (204 ms).
//   (5,000 classes one by one would stop the program for 520 s; 26 at a time, for 39 s.)
//   The machine is quiet again: 26 classes take 10.2 ms, so one takes no more, and the limit is 50 ms: 52, 104, ...
// Where the classes' part is most of a pause, the batches go down to two classes: if these exceed the budget, a
// batch of one would take at least half as long.
//
// Guarantees: the size is between 1 and kMost. Threads: one; pure logic. Failure: none.
#pragma once

#include <chrono>
#include <cstddef>

namespace iprof::vm {

class BatchSize {
 public:
  static constexpr size_t kMost = 1000;

  explicit BatchSize(std::chrono::nanoseconds budget) : budget_(budget) {}

  size_t Next() const { return next_; }

  // Call it after a batch of this size, with its pause. A batch may be smaller than Next(), as the last one is.
  void Note(size_t size, std::chrono::nanoseconds pause);

  // Pauses should not exceed this.
  std::chrono::nanoseconds Limit() const;

 private:
  struct Batch {
    size_t size = 0;
    std::chrono::nanoseconds pause{};
  };

  void NoteSingle(const Batch& before, std::chrono::nanoseconds pause);

  const std::chrono::nanoseconds budget_;
  std::chrono::nanoseconds single_{};  // what a batch of one class takes, or a shorter pause since
  Batch long_{};                       // the last batch, if its pause was long; size 0: it was not
  bool measures_ = false;              // the next batch has one class because two pauses were long
  size_t next_ = 1;
};

}  // namespace iprof::vm
