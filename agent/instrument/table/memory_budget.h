// MemoryBudget: what the agent holds, by part, and whether it may hold more.
//
// Why one budget: heap that counters take and native memory that classes take grow together, and a
// user can give one number only (memory=).
//
// Guarantees: the limit binds those that ask HasRoom before they learn something new; parts that
// exist already only report their size, so that the sum may pass the limit by what one class or one
// chunk needs. Any thread, any phase; no locks, no allocation.
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
  kSpill,      // heap: the table behind those rows
  kLoaders,    // mostly heap: what class loaders that do not delegate were given
  kClasses,    // records of classes
  kUnloaded,   // of these, the counts of classes that are gone
  kTypes,      // classes met at sites
  kNames,      // lambdas and proxies
  kWatched,    // classes that may be unloaded
  kMethods,    // names of methods for samples
  kMethodIds,  // ids of methods of unloaded classes, which the JVM never frees
  kCode,       // addresses of compiled code, for samples
};
inline constexpr size_t kMemoryParts = 12;

class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t limit_bytes = UINT64_MAX) : limit_(limit_bytes) {}

  // Before there is anything to hold.
  void SetLimit(uint64_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }
  uint64_t limit() const { return limit_.load(std::memory_order_relaxed); }

  // The part's size as of now.
  void Set(MemoryPart part, uint64_t bytes) {
    used_[static_cast<size_t>(part)].store(bytes, std::memory_order_relaxed);
  }
  uint64_t Used(MemoryPart part) const {
    return used_[static_cast<size_t>(part)].load(std::memory_order_relaxed);
  }
  uint64_t Used() const;
  // How much more may be held.
  uint64_t Left() const;

  // Whether `bytes` more may be held; a refusal is remembered.
  bool HasRoom(uint64_t bytes);
  uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }

  // "memory: 12,345 KiB of 196,608 KiB: counters 512, sites …", in KiB; parts without content are
  // left out.
  std::string Report() const;

 private:
  std::atomic<uint64_t> limit_;
  std::array<std::atomic<uint64_t>, kMemoryParts> used_{};
  std::atomic<uint64_t> refusals_{0};
};

}  // namespace iprof::instrument
