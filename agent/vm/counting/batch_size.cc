#include "agent/vm/counting/batch_size.h"

#include <algorithm>

namespace iprof::vm {

std::chrono::nanoseconds BatchSize::Limit() const { return std::max(budget_, fixed_ + fixed_ / 2); }

std::chrono::nanoseconds BatchSize::TypicalPause() const {
  std::array<Batch, 5> sorted = last_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Batch& a, const Batch& b) { return a.pause < b.pause; });
  return sorted[sorted.size() / 2].pause;
}

void BatchSize::NoteSingleAgain(std::chrono::nanoseconds pause) {
  measures_again_ = false;
  // One pause may be unusually long, but the fixed part is not more than that of a batch.
  measured_ = std::max(measured_, std::min(pause, TypicalPause()));
  fixed_ = std::max(fixed_, measured_);
  last_ = {};
  noted_ = 0;
  next_ = kLeast;
}

void BatchSize::Note(size_t size, std::chrono::nanoseconds pause) {
  if (singles_.size() < kSingles) {
    if (size != 1) return;
    singles_.push_back(pause);
    if (singles_.size() < kSingles) return;
    std::sort(singles_.begin() + 1, singles_.end());
    measured_ = fixed_ = singles_[kSingles / 2];
    next_ = kLeast;
    return;
  }
  if (measures_again_) return NoteSingleAgain(pause);
  if (size < next_) return;  // the rest of a batch: too small to tell anything
  last_[noted_++ % last_.size()] = {size, pause};
  if (size == kLeast && noted_ >= last_.size())
    fixed_ = std::min(std::max(fixed_, TypicalPause()), 2 * measured_);
  if (size == kLeast && noted_ % last_.size() == 0 && TypicalPause() > Limit()) {
    measures_again_ = true;
    next_ = 1;
    return;
  }
  size_t classes = 0;
  std::chrono::nanoseconds for_classes{};
  for (const Batch& batch : last_) {
    classes += batch.size;
    if (batch.size > 0) for_classes += batch.pause - fixed_;
  }
  // The next pauses tell whether half or twice the size is right.
  const size_t smallest = std::max(next_ / 2, kLeast);
  const size_t largest = std::min(next_ * 2, kMost);
  const auto room = static_cast<double>((Limit() - fixed_).count());
  const double each =
      static_cast<double>(for_classes.count()) / static_cast<double>(std::max<size_t>(classes, 1));
  const double fits = each <= 0 ? static_cast<double>(kMost) : room / each;
  next_ = static_cast<size_t>(
      std::clamp(fits, static_cast<double>(smallest), static_cast<double>(largest)));
}

}  // namespace iprof::vm
