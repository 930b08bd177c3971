// BatchSize: how many classes to retransform at a time.
//
// Why: every batch stops the whole program once. The pause has a fixed part, which grows with the number of loaded classes (the JVM walks
// all of them), and a part for each class of the batch. Small batches repeat the fixed part; large ones make the single pause long. So the
// first batches hold one class, which tells what no batch can go below; then batches grow while their pauses stay below the limit: the
// budget, or 1.5 times the pause of a single class where that is more.
//
// Guarantees: at least 1, at most kMost. Pure logic; one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace iprof::vm {

class BatchSize {
 public:
  static constexpr size_t kMost = 1000;

  explicit BatchSize(std::chrono::nanoseconds budget) : budget_(budget) {}

  size_t Next() const { return next_; }

  // What a batch of this size cost.
  void Note(size_t size, std::chrono::nanoseconds pause);

  // Pauses should stay below this.
  std::chrono::nanoseconds Limit() const;

 private:
  // The first pause is not typical: compiled code that does not expect redefinition is thrown away then.
  static constexpr int kSingles = 3;

  const std::chrono::nanoseconds budget_;
  std::optional<std::chrono::nanoseconds> single_;  // the shortest pause for one class
  int singles_ = 0;
  size_t next_ = 1;
};

}  // namespace iprof::vm
