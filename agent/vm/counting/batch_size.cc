#include "agent/vm/counting/batch_size.h"

#include <algorithm>

namespace iprof::vm {

std::chrono::nanoseconds BatchSize::Limit() const {
  return single_ ? std::max(budget_, *single_ + *single_ / 2) : budget_;
}

void BatchSize::Note(size_t size, std::chrono::nanoseconds pause) {
  if (size == 1) single_ = single_ ? std::min(*single_, pause) : pause;
  if (singles_ < kSingles && size == 1) {
    if (++singles_ == kSingles) next_ = 8;
    return;
  }
  if (size < next_ && pause <= Limit())
    return;  // a part of a batch, or the last one: it says little
  const std::chrono::nanoseconds limit = Limit();
  if (pause > limit) {
    const double share = static_cast<double>(limit.count()) / static_cast<double>(pause.count());
    next_ = static_cast<size_t>(static_cast<double>(size) * std::max(0.25, share * 0.8));
  } else if (pause < limit / 2) {
    next_ = size * 2;
  } else if (pause < limit * 3 / 4) {
    next_ = size + size / 4;
  }
  next_ = std::clamp<size_t>(next_, 1, kMost);
}

}  // namespace iprof::vm
