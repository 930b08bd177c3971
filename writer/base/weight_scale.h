// WeightScale: multiplies many weights by one fraction, and rounds each so that the sum is right.
//
// Example: four stacks of weight 1 at a scale of 1/2 become 1, 0, 1, 0. A rounding of each alone would make
// 1, 1, 1, 1 or nothing of them.
//
// Guarantees: each result is the exact one, rounded up or down. So is the sum of all results so far, which is
// rounded to the nearest whole number if it begins in the middle, as by default. Over all possible beginnings,
// the mean of each result is the exact one: rounding favours no stack. The same weights in the same order give
// the same results on every machine.
// Threads: one per object. Failure: none; results saturate at INT64_MAX.
#pragma once

#include <algorithm>
#include <cstdint>

namespace iprof {

class WeightScale {
 public:
  // Leaves weights as they are.
  WeightScale() = default;
  // The fraction is to / from; both are greater than 0.
  WeightScale(uint64_t to, uint64_t from) : WeightScale(to, from, from / 2) {}
  // `begin` < `from`: the part that the first result is given in advance.
  WeightScale(uint64_t to, uint64_t from, uint64_t begin) : to_(to), from_(from), rest_(begin) {}

  bool changes() const { return to_ != from_; }

  uint64_t Of(uint64_t weight) {
    if (!changes()) return weight;
    const Wide sum = static_cast<Wide>(weight) * to_ + rest_;
    rest_ = static_cast<uint64_t>(sum % from_);
    return static_cast<uint64_t>(std::min<Wide>(sum / from_, INT64_MAX));
  }

 private:
  __extension__ using Wide = unsigned __int128;

  uint64_t to_ = 1;
  uint64_t from_ = 1;
  uint64_t rest_ = 0;  // < from_
};

}  // namespace iprof
