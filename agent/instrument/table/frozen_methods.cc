#include "agent/instrument/table/frozen_methods.h"

namespace iprof::instrument {

bool FrozenMethods::Has(CounterIndex first) const {
  if (size() == 0) return false;
  const std::lock_guard lock(mutex_);
  return firsts_.contains(static_cast<uint32_t>(first));
}

bool FrozenMethods::LeaveOut(CounterIndex first) {
  if (size() == 0) return false;
  const std::lock_guard lock(mutex_);
  const auto found = firsts_.find(static_cast<uint32_t>(first));
  if (found == firsts_.end()) return false;
  found->second = true;
  was_left_out_.store(true, std::memory_order_relaxed);
  return true;
}

bool FrozenMethods::IsLeftOut(CounterIndex first) const {
  const std::lock_guard lock(mutex_);
  const auto found = firsts_.find(static_cast<uint32_t>(first));
  return found != firsts_.end() && found->second;
}

void FrozenMethods::Freeze(std::span<const CounterIndex> firsts) {
  const std::lock_guard lock(mutex_);
  for (const CounterIndex first : firsts) firsts_.emplace(static_cast<uint32_t>(first), false);
  size_.store(firsts_.size(), std::memory_order_release);
}

void FrozenMethods::Thaw(std::span<const CounterIndex> firsts) {
  const std::lock_guard lock(mutex_);
  for (const CounterIndex first : firsts) firsts_.erase(static_cast<uint32_t>(first));
  size_.store(firsts_.size(), std::memory_order_release);
}

void FrozenMethods::Release(CounterRange range) {
  if (size() == 0) return;
  const std::lock_guard lock(mutex_);
  for (uint32_t i = 0; i < range.count; ++i) firsts_.erase(static_cast<uint32_t>(range.first) + i);
  size_.store(firsts_.size(), std::memory_order_release);
}

}  // namespace iprof::instrument
