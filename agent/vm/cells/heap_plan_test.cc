#include "agent/vm/cells/heap_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "agent/instrument/probes/counter_space.h"
#include "agent/vm/cells/runtime_image.h"

namespace iprof::vm {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// The size of the plan's arrays, as IprofTypes and the holders allocate them.
uint64_t Bytes(const HeapPlan& plan) {
  return plan.counter_chunks * uint64_t{instrument::kChunkCounters} * 8 +
         plan.site_chunks * uint64_t{kChunkSites} * kSiteRows * 12 +
         plan.spill_slots * uint64_t{49};
}

TEST_CASE("the arrays stay within memory= and an eighth of the heap") {
  Options options;
  for (const uint64_t heap : {16 * kMiB, 24 * kMiB, 64 * kMiB, 250 * kMiB, 4096 * kMiB}) {
    for (const uint64_t memory : {4 * kMiB, 64 * kMiB, 256 * kMiB}) {
      INFO(heap << " " << memory);
      const HeapPlan plan = PlanHeap(options, {memory, heap});
      CHECK(Bytes(plan) <= std::min(memory, heap / 8));
      // At least enough for the classes of any start-up.
      CHECK(plan.counter_chunks >= 2);
      CHECK(plan.site_chunks >= 3);
    }
  }
}

TEST_CASE("a heap of the usual size has the whole spill table") {
  Options options;
  const uint64_t memory = 256 * kMiB;
  CHECK(PlanHeap(options, {memory, 16 * kMiB}).spill_slots == 1 << 12);
  CHECK(PlanHeap(options, {memory, 256 * kMiB}).spill_slots == 1 << 16);
  CHECK(PlanHeap(options, {memory, std::nullopt}).spill_slots == 1 << 16);
}

TEST_CASE("there is one chunk of each kind, however small memory= is") {
  Options options;
  const HeapPlan plan = PlanHeap(options, {1 << 10, 256 * kMiB});
  CHECK(plan.counter_chunks == 1);
  CHECK(plan.site_chunks == 1);
  CHECK(plan.spill_slots == 1 << 10);
}

TEST_CASE("where no classes are counted, counters have all of it") {
  Options options;
  const HeapLimits limits{8 * kMiB, std::nullopt};
  options.receivers = options.monitors = options.instance_ofs = false;
  CHECK(PlanHeap(options, limits).counter_chunks == 32);
  options.stripes = 4;
  CHECK(PlanHeap(options, limits).counter_chunks == 8);
}

}  // namespace
}  // namespace iprof::vm
