#include "agent/instrument/probes/counter_space.h"

#include <algorithm>
#include <iterator>
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
  // The spare is wanted from the start of a chunk on, so that there is time to define its holder.
  return std::min(chunk_ + 2 + expected_chunks_, max_chunks_);
}

void CounterSpace::Expect(uint32_t count) {
  std::lock_guard lock(mutex_);
  expected_chunks_ = count / chunk_size_;
}

uint32_t CounterSpace::Wanted() const {
  std::lock_guard lock(mutex_);
  return WantedLocked();
}

uint32_t CounterSpace::Cap() const {
  std::lock_guard lock(mutex_);
  return max_chunks_;
}

uint32_t CounterSpace::End() const {
  std::lock_guard lock(mutex_);
  return chunk_ * chunk_size_ + used_;
}

void CounterSpace::SetCap(uint32_t max_chunks) {
  std::lock_guard lock(mutex_);
  max_chunks_ = std::max({max_chunks, statistics_.ready, 1u});
}

void CounterSpace::AddFree(uint32_t first, uint32_t count) {
  free_by_first_.emplace(first, count);
  free_by_size_.emplace(count, first);
}

void CounterSpace::RemoveFree(std::map<uint32_t, uint32_t>::iterator range) {
  free_by_size_.erase({range->second, range->first});
  free_by_first_.erase(range);
}

void CounterSpace::Release(CounterRange range) {
  std::lock_guard lock(mutex_);
  uint32_t first = static_cast<uint32_t>(range.first);
  const uint32_t end = first + range.count;
  statistics_.counters -= range.count;
  statistics_.free += range.count;
  while (first < end) {
    const uint32_t chunk_end = (first / chunk_size_ + 1) * chunk_size_;
    uint32_t begin = first;
    uint32_t stop = std::min(end, chunk_end);
    first = stop;
    auto after = free_by_first_.lower_bound(begin);
    if (after != free_by_first_.end() && after->first == stop && stop < chunk_end) {
      stop += after->second;
      RemoveFree(after);
    }
    auto before = free_by_first_.lower_bound(begin);
    if (before != free_by_first_.begin()) {
      before = std::prev(before);
      if (before->first + before->second == begin && begin % chunk_size_ != 0) {
        begin = before->first;
        RemoveFree(before);
      }
    }
    AddFree(begin, stop - begin);
  }
}

// Takes the smallest range that is large enough; of equal ones the first.
std::optional<CounterRange> CounterSpace::TakeFree(uint32_t count) {
  if (count == 0) return std::nullopt;
  const auto fits = free_by_size_.lower_bound({count, 0});
  if (fits == free_by_size_.end()) return std::nullopt;
  const auto [size, first] = *fits;
  RemoveFree(free_by_first_.find(first));
  if (size > count) AddFree(first + count, size - count);
  statistics_.free -= count;
  statistics_.counters += count;
  return CounterRange{CounterIndex{first}, count};
}

size_t CounterSpace::bytes() const {
  std::lock_guard lock(mutex_);
  return free_by_first_.size() * size_t{2 * 48};
}

std::optional<CounterRange> CounterSpace::Allocate(uint32_t count, Refusal* why) {
  if (why != nullptr) *why = Refusal::kCap;
  if (count > chunk_size_) return std::nullopt;  // larger than a chunk
  std::optional<CounterRange> range;
  std::function<void()> signal;
  {
    std::lock_guard lock(mutex_);
    if (auto taken = TakeFree(count)) return taken;
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
      // The rest of the previous chunk is for smaller requests.
      if (chunk > chunk_ && used_ < chunk_size_) {
        AddFree(chunk_ * chunk_size_ + used_, chunk_size_ - used_);
        statistics_.free += chunk_size_ - used_;
      }
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
