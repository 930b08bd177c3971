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
#include <unordered_set>

#include "writer/methods/counter_range.h"

namespace iprof::instrument {

class FrozenMethods {
 public:
  bool Has(CounterIndex first) const;
  void Freeze(std::span<const CounterIndex> firsts);
  void Thaw(std::span<const CounterIndex> firsts);
  // The counters will belong to other methods.
  void Release(CounterRange range);
  size_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  mutable std::mutex mutex_;  // guards firsts_
  std::unordered_set<uint32_t> firsts_;
  std::atomic<size_t> size_{0};
};

}  // namespace iprof::instrument
