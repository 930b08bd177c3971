// FrozenMethods: methods whose probes were taken out because enough is known of them.
//
// A method is known by its first counter, which no other method has as long as its class is loaded.
// The instrumenter leaves a frozen method's code as it is in the class file.
//
// Guarantees: without a frozen method, Has takes no lock.
// Threads: any. Failure: throws std::bad_alloc.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>

#include "writer/records/counter_range.h"

namespace iprof::instrument {

class FrozenMethods {
 public:
  bool Has(CounterIndex first) const;
  // The same, and notes it: a class gets code without the method's probes.
  bool LeaveOut(CounterIndex first);
  // Whether a class got such code since the method froze.
  bool IsLeftOut(CounterIndex first) const;
  // Whether any class ever got such code.
  bool was_left_out() const { return was_left_out_.load(std::memory_order_relaxed); }
  // A method that is frozen already stays as it is.
  void Freeze(std::span<const CounterIndex> firsts);
  void Thaw(std::span<const CounterIndex> firsts);
  // The counters will belong to other methods.
  void Release(CounterRange range);
  size_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  mutable std::mutex mutex_;                   // guards firsts_
  std::unordered_map<uint32_t, bool> firsts_;  // whether it was left out
  std::atomic<size_t> size_{0};
  std::atomic<bool> was_left_out_{false};
};

}  // namespace iprof::instrument
