#include "agent/vm/classes/batch_size.h"

#include <algorithm>
#include <utility>

namespace iprof::vm {
namespace {

// How many classes fit into the room if `size` of them need `pause`.
size_t Fitting(size_t size, std::chrono::nanoseconds room, std::chrono::nanoseconds pause) {
  if (pause.count() <= 0) return BatchSize::kMost;
  const double fits = static_cast<double>(size) * static_cast<double>(room.count()) /
                      static_cast<double>(pause.count());
  return static_cast<size_t>(std::clamp(fits, 1.0, static_cast<double>(BatchSize::kMost)));
}

}  // namespace

std::chrono::nanoseconds BatchSize::Limit() const { return std::max(budget_, 2 * single_); }

// What the long batch took beyond a batch of one class was for its classes.
void BatchSize::NoteSingle(const Batch& before, std::chrono::nanoseconds pause) {
  next_ = std::min(before.size, Fitting(before.size, Limit() - pause, before.pause - pause));
}

void BatchSize::Note(size_t size, std::chrono::nanoseconds pause) {
  // No batch takes less than one of a single class would.
  single_ = size == 1 ? pause : std::min(single_, pause);
  const Batch before = std::exchange(long_, {});
  if (std::exchange(measures_, false) && size == 1) return NoteSingle(before, pause);
  if (pause > Limit()) {
    long_ = {size, pause};
    measures_ = before.size > 0;
    next_ = measures_ ? 1 : Fitting(size, Limit(), pause);
  } else if (size >= next_) {  // a smaller batch does not show that a larger one fits
    next_ = std::min({Fitting(size, Limit(), pause), 2 * size, kMost});
  }
}

}  // namespace iprof::vm
