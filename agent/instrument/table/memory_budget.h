// MemoryBudget: how much memory the agent uses, by part, and whether it may use more.
//
// Why one budget: the heap for counters and the native memory for classes grow together, and the
// user gives only one number (memory=).
//
// Guarantees: the limit applies to callers that ask HasRoom before they add something. Existing
// parts only report their size, so the sum may exceed the limit by the size of one class or one
// chunk, and by kWindow and kFrozen, which grow with the counters and do not ask.
// Threads: any, in any phase; no locks, no allocation. Failure: HasRoom returns false and counts
// the refusal.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace iprof::instrument {

enum class MemoryPart : uint8_t {
  kCounters,   // heap: chunks of counters
  kSites,      // heap: rows of class-counting sites
  kSpill,      // heap: the spill table for those rows
  kLoaders,    // mostly heap: what was given to class loaders that do not delegate
  kClasses,    // records of classes
  kUnloaded,   // part of kClasses: the counts of unloaded classes
  kTypes,      // classes seen at sites
  kNames,      // lambdas and proxies
  kWatched,    // classes that may be unloaded
  kMethods,    // names of methods for samples
  kMethodIds,  // method ids of unloaded classes, which the JVM never frees
  kCode,       // addresses of compiled code, for samples
  kWindow,     // counts that a reset or a stop left out
  kWeights,    // branches of an earlier profile
  kRawFile,    // what is known of the raw file
  kFrozen,     // estimates of methods without probes
  kContexts,   // stacks of calls and branches
  kThreads,    // names of threads, for samples
  kEvents,     // allocations and waits for locks
};
inline constexpr size_t kMemoryParts = 19;

class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t limit_bytes = UINT64_MAX) : limit_(limit_bytes) {}

  // Call it before anything is reported.
  void SetLimit(uint64_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }
  uint64_t limit() const { return limit_.load(std::memory_order_relaxed); }

  // Reports the current size of a part.
  void Set(MemoryPart part, uint64_t bytes) {
    used_[static_cast<size_t>(part)].store(bytes, std::memory_order_relaxed);
  }
  uint64_t Used(MemoryPart part) const {
    return used_[static_cast<size_t>(part)].load(std::memory_order_relaxed);
  }
  uint64_t Used() const;
  // The part of it in the JVM's heap.
  uint64_t UsedHeap() const;
  // How much more may be used.
  uint64_t Left() const;

  // Whether `bytes` more may be used. Counts refusals.
  bool HasRoom(uint64_t bytes);
  uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }

  // "memory: 12,345 KiB of 196,608 KiB: counters 512, sites …", in KiB. Parts of size 0 are
  // omitted.
  std::string Report() const;

 private:
  std::atomic<uint64_t> limit_;
  std::array<std::atomic<uint64_t>, kMemoryParts> used_{};
  std::atomic<uint64_t> refusals_{0};
};

}  // namespace iprof::instrument
