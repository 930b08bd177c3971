#include "agent/vm/cells/heap_plan.h"

#include <algorithm>

#include "agent/instrument/probes/counter_space.h"

namespace iprof::vm {
namespace {

constexpr uint64_t kMostChunks = 4096;
constexpr uint32_t kMostSpillSlots = 1 << 16;
constexpr uint32_t kLeastSpillSlots = 1 << 10;

constexpr uint64_t kReferenceBytes = 4;

uint32_t ChunksIn(uint64_t bytes, uint64_t chunk_bytes) {
  return static_cast<uint32_t>(std::clamp<uint64_t>(bytes / chunk_bytes, 1, kMostChunks));
}

}  // namespace

// The arrays of IprofTypes: two halves of keys, counts and classes, then the losses and the hidden
// classes.
uint64_t SpillBytes(uint32_t slots) {
  return slots * (2 * (8 + 8 + kReferenceBytes) + 8) + slots / 4 * kReferenceBytes;
}

bool CountsTypes(const Options& options) {
  return options.receivers || options.monitors || options.instance_ofs;
}

bool AsksForCounts(const Options& options) {
  if (options.source == CountSource::kMethodData) return false;
  return options.calls || options.branches || CountsTypes(options);
}

HeapPlan PlanHeap(const Options& options, const HeapLimits& limits) {
  HeapPlan plan;
  uint64_t budget = limits.budget_bytes;
  if (limits.most_heap_bytes) budget = std::min(budget, *limits.most_heap_bytes / 8);
  const uint64_t counter_chunk_bytes =
      static_cast<uint64_t>(options.stripes) * instrument::kChunkCounters * sizeof(uint64_t);
  if (!CountsTypes(options)) {
    plan.counter_chunks = ChunksIn(budget, counter_chunk_bytes);
    return plan;
  }
  // The spill table gets an eighth. Of the rest, sites get twice as much as counters, which is the
  // proportion that the JDK's classes need.
  plan.spill_slots = kMostSpillSlots;
  while (plan.spill_slots > kLeastSpillSlots && SpillBytes(plan.spill_slots) > budget / 8)
    plan.spill_slots /= 2;
  budget -= std::min(budget, SpillBytes(plan.spill_slots));
  plan.counter_chunks = ChunksIn(budget / 3, counter_chunk_bytes);
  plan.site_chunks = ChunksIn(budget / 3 * 2, kSiteChunkBytes);
  return plan;
}

}  // namespace iprof::vm
