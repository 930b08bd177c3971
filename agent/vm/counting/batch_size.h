// BatchSize: how many classes to retransform at a time.
//
// Why: every batch stops the whole program once. The pause has a fixed part, which grows with the
// number of loaded classes (the JVM walks all of them), and a part for each class in the batch.
// Small batches repeat the fixed part; large ones make the single pause long. So the first batches
// hold one class each, which measures the fixed part. Later batches grow until their pauses reach
// the limit: the budget, or 1.5 times the fixed part if that is more.
//
// Pauses vary by a factor of two and more on a busy machine, whatever the batch. So the part of a
// class is measured over several batches. Batches do not become smaller than kLeast, where the
// pause is almost only the fixed part: smaller batches would make more pauses, not shorter ones. If
// pauses are too long even then, the measured fixed part was too short, and it is raised up to its
// double. If that is not enough, a batch of one class measures it again: the fixed part grows while
// the program loads classes, and while HotSpot keeps old versions of classes.
//
// Guarantees: the size is between 1 and kMost. Threads: one; pure logic. Failure: none.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

namespace iprof::vm {

class BatchSize {
 public:
  static constexpr size_t kLeast = 32;  // after the batches of one class
  static constexpr size_t kMost = 1000;

  explicit BatchSize(std::chrono::nanoseconds budget) : budget_(budget) {}

  size_t Next() const { return next_; }

  // Call it after a batch of this size, with its pause.
  void Note(size_t size, std::chrono::nanoseconds pause);

  // Pauses should stay below this.
  std::chrono::nanoseconds Limit() const;

 private:
  struct Batch {
    size_t size = 0;
    std::chrono::nanoseconds pause{};
  };

  // The first pause is not typical: it includes discarding compiled code that does not expect
  // redefinition.
  static constexpr size_t kSingles = 5;

  // The median of the last pauses.
  std::chrono::nanoseconds TypicalPause() const;
  void NoteSingleAgain(std::chrono::nanoseconds pause);

  const std::chrono::nanoseconds budget_;
  std::vector<std::chrono::nanoseconds> singles_;
  // the median of the first batches of one class, without the very first; or a later one
  std::chrono::nanoseconds measured_{};
  std::chrono::nanoseconds fixed_{};  // measured_, or more
  std::array<Batch, 5> last_{};       // full batches
  size_t noted_ = 0;                  // number of them
  size_t next_ = 1;
  bool measures_again_ = false;  // the next batch has one class, to measure the fixed part
};

}  // namespace iprof::vm
