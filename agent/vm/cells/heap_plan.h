// HeapPlan: how much of the JVM's heap the agent's arrays may take, and for what.
//
// Guarantees: all arrays together stay within the agent's budget and within an eighth of the
// maximum heap, but there is at least one chunk of each kind. Threads: any, in any phase; pure.
// Failure: none.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/settings/options.h"
#include "agent/vm/cells/runtime_image.h"

namespace iprof::vm {

// In a smaller heap nothing is counted: the counters of the JDK's own start-up classes would take a
// large part of it.
inline constexpr uint64_t kLeastHeapBytes = 16 << 20;

// The size of the arrays of a chunk of sites: a class and its count in each row.
inline constexpr uint64_t kSiteChunkBytes = uint64_t{kChunkSites} * kSiteRows * (8 + 4);

struct HeapPlan {
  // At most this many chunks; a smaller budget may allow fewer.
  uint32_t counter_chunks = 1;
  uint32_t site_chunks = 1;
  uint32_t spill_slots = 1 << 16;  // in one half of the spill table; a power of two
};

// Whether the options ask for counts of any kind.
bool AsksForCounts(const Options& options);
// Whether they ask for counts of classes.
bool CountsTypes(const Options& options);

// The size of the spill table's arrays.
uint64_t SpillBytes(uint32_t slots);

struct HeapLimits {
  uint64_t budget_bytes;
  std::optional<uint64_t> most_heap_bytes;  // nullopt if the JVM does not say
};

HeapPlan PlanHeap(const Options& options, const HeapLimits& limits);

}  // namespace iprof::vm
