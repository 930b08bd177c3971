// CounterSpace: allocates counters (or class-counting sites) to classes, chunk by chunk.
// Example: a chunk has 32,768 counters. A class takes 30,000 of chunk 0. The next one needs 5,000, so it gets the first 5,000 of chunk 1.
//
// Guarantees:
// - A range is inside one chunk, so that a class refers to one holder class and an index is one
//   sipush.
// - Only chunks that were declared ready are used: a probe never meets a holder that does not
//   exist.
// - Counters are freed (Release) only when no code that writes to them can run any more, because
//   their classes were unloaded. A class that is instrumented again gets its old range (the caller
//   remembers it). Freed ranges are used before new chunks.
// Threads: any. A mutex is held for a few instructions and never during a call to other code, so it
// is safe inside a class-file-load hook.
// Failure: beyond the memory cap, or while no chunk is ready, Allocate returns nullopt and the
// caller leaves the class unchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "writer/records/counter_range.h"

namespace iprof::instrument {

inline constexpr uint32_t kChunkCounters = 32768;

// A CounterIndex is chunk * kChunkCounters + index in the chunk.
inline uint32_t ChunkOf(CounterIndex i) { return static_cast<uint32_t>(i) / kChunkCounters; }
inline uint32_t IndexInChunk(CounterIndex i) { return static_cast<uint32_t>(i) % kChunkCounters; }

// Why a request was refused.
enum class Refusal : uint8_t { kCap, kNotReady };

class CounterSpace {
 public:
  explicit CounterSpace(uint32_t chunk_size = kChunkCounters) : chunk_size_(chunk_size) {}

  // Allows `max_chunks` chunks in all. `on_low_water` is called when a spare chunk is wanted,
  // outside the lock, on the allocating thread. It must only signal.
  void Configure(uint32_t max_chunks, std::function<void()> on_low_water);

  // The chunks [0, ready) may be used from now on.
  void SetReady(uint32_t ready);

  // Returns nullopt if it is refused, with the reason in `why`.
  std::optional<CounterRange> Allocate(uint32_t count, Refusal* why = nullptr);

  // Frees a range, which may consist of several allocations. Its counters must be zero.
  void Release(CounterRange range);

  // The cap, in chunks.
  uint32_t Cap() const;
  // Changes the cap; it is never below the number of ready chunks.
  void SetCap(uint32_t max_chunks);

  // All counters that were allocated so far, also those that are free again, are below this.
  uint32_t End() const;

  // Announces that about this many counters will be requested soon, so that their chunks are wanted
  // too. 0 cancels that.
  void Expect(uint32_t count);

  // The number of chunks that should exist: those in use, those announced, and one spare, within
  // the cap.
  uint32_t Wanted() const;

  struct Statistics {
    uint64_t counters = 0;     // in use
    uint64_t free = 0;         // free, to be reused
    uint32_t chunks_used = 0;  // chunks that contain at least one counter
    uint32_t ready = 0;
    uint64_t refused_cap = 0;    // requests refused because the memory cap is reached
    uint64_t refused_ready = 0;  // requests refused because no chunk was ready in time
  };
  Statistics statistics() const;
  // The memory of the list of free ranges.
  size_t bytes() const;

 private:
  uint32_t WantedLocked() const;
  std::optional<CounterRange> TakeFree(uint32_t count);
  void AddFree(uint32_t first, uint32_t count);
  void RemoveFree(std::map<uint32_t, uint32_t>::iterator range);

  const uint32_t chunk_size_;
  mutable std::mutex mutex_;
  std::function<void()> on_low_water_;
  uint32_t max_chunks_ = 1;
  uint32_t chunk_ = 0;  // the chunk that is being filled
  uint32_t used_ = 0;   // counters taken from it
  uint32_t expected_chunks_ = 0;
  // Free ranges. None crosses the end of a chunk, and no two are adjacent.
  std::map<uint32_t, uint32_t> free_by_first_;            // first, count
  std::set<std::pair<uint32_t, uint32_t>> free_by_size_;  // count, first
  Statistics statistics_;
};

}  // namespace iprof::instrument
