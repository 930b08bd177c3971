#include "agent/instrument/counter_space.h"

#include <algorithm>
#include <utility>

namespace iprof::instrument {

void CounterSpace::Configure(uint32_t max_chunks, std::function<void()> on_low_water) {
  std::lock_guard lock(mutex_);
  max_chunks_ = std::max(max_chunks, 1u);
  on_low_water_ = std::move(on_low_water);
}

void CounterSpace::SetReady(uint32_t ready) {
  std::lock_guard lock(mutex_);
  statistics_.ready = std::max(statistics_.ready, ready);
}

uint32_t CounterSpace::WantedLocked() const {
  // The spare is wanted from the start of a chunk on: a whole chunk of head start for whoever
  // defines holders.
  return std::min(chunk_ + 2, max_chunks_);
}

uint32_t CounterSpace::Wanted() const {
  std::lock_guard lock(mutex_);
  return WantedLocked();
}

uint32_t CounterSpace::Cap() const {
  std::lock_guard lock(mutex_);
  return max_chunks_;
}

std::optional<CounterRange> CounterSpace::Allocate(uint32_t count, Refusal* why) {
  if (why != nullptr) *why = Refusal::kCap;
  if (count > chunk_size_) return std::nullopt;  // more than a chunk is more than there can be
  std::optional<CounterRange> range;
  std::function<void()> signal;
  {
    std::lock_guard lock(mutex_);
    uint32_t chunk = chunk_;
    uint32_t used = used_;
    if (used + count > chunk_size_) {
      ++chunk;
      used = 0;
    }
    if (chunk >= max_chunks_) {
      ++statistics_.refused_cap;
      return std::nullopt;
    }
    if (chunk >= statistics_.ready) {
      ++statistics_.refused_ready;
      if (why != nullptr) *why = Refusal::kNotReady;
      signal = on_low_water_;
    } else {
      chunk_ = chunk;
      used_ = used + count;
      statistics_.counters += count;
      statistics_.chunks_used = std::max(statistics_.chunks_used, chunk + 1);
      range = CounterRange{CounterIndex{chunk * chunk_size_ + used}, count};
      if (statistics_.ready < WantedLocked()) signal = on_low_water_;
    }
  }
  if (signal) signal();
  return range;
}

CounterSpace::Statistics CounterSpace::statistics() const {
  std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace iprof::instrument
