// TraceTable: a bounded multiset of stack traces. Signal handlers of many threads fill it without
// locks.
//
// Guarantees:
// - Add() is async-signal-safe: no allocation, no lock, no loop that waits for another thread. A
//   trace costs one pass for its hash and, if it is known already, one pass to compare.
// - Equal traces of one period share one entry, and its two counters grow. A record, with the frames, never changes or
//   moves once it is published; entries of the same trace in periods close to each other share it, so that a further period
//   costs 32 bytes.
// - Memory is one mapping of fixed size, reserved at creation. Pages are touched only when traces
//   are added.
// - ForEach() may run while other threads add. It sees every trace whose Add() had returned, and
//   sees each record completely.
//
// Assumption: two traces with the same 64-bit hash are compared, except while the first one is
// being published; then equal hashes mean equal traces. (Waiting is not possible, because the
// publishing thread may be suspended.)
//
// Threads: Create, ForEach and the destructor on normal threads; Add anywhere. Destroy it only when
// no handler can be using it.
// Failure: Create returns a Status. When the table is full, the samples and weight that do not fit
// are counted in usage(); nothing is lost silently.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agent/sampling/core/call_trace.h"
#include "writer/base/status.h"

namespace iprof::sampling {

// A published trace, with its counters when it was read. Frames are innermost first. Valid as long as the
// table.
class TraceView {
 public:
  size_t depth() const { return depth_; }
  uint32_t thread() const { return thread_; }  // the number of its thread's name; 0: not known
  uint32_t period() const { return period_; }  // in which it was seen (writer/base/time_period.h)
  CallFrame frame(size_t i) const;
  bool cut() const { return cut_; }  // outer frames are missing, because of the depth limit
  uint64_t samples() const { return samples_; }  // signals
  uint64_t weight() const { return weight_; }    // intervals that these samples stand for
  size_t place() const { return place_; }        // in the table; it never changes

 private:
  friend class TraceTable;
  const uint64_t* methods_ = nullptr;
  const uint32_t* positions_ = nullptr;
  size_t depth_ = 0;
  uint32_t thread_ = 0;
  uint32_t period_ = 0;
  bool cut_ = false;
  uint64_t samples_ = 0;
  uint64_t weight_ = 0;
  size_t place_ = 0;
};

// What tells equal stacks apart.
struct TraceLabels {
  uint32_t thread = 0;  // the number of the thread's name, below TraceTable::kThreadLimit
  uint32_t period = 0;  // at most kLastPeriod
};

class TraceTable {
 public:
  struct Usage {
    size_t distinct = 0;        // published records
    size_t bytes_used = 0;      // of the arena
    size_t bytes_capacity = 0;  // of the arena
    uint64_t dropped_samples = 0;
    uint64_t dropped_weight = 0;
  };

  static constexpr size_t kMinBytes = size_t{64} << 10;
  static constexpr size_t kMaxBytes = size_t{64} << 30;

  // Fails with kLimit if the size is outside the two constants, and with kIo if the system refuses
  // the mapping.
  static Result<std::unique_ptr<TraceTable>> Create(size_t bytes);
  ~TraceTable();
  TraceTable(const TraceTable&) = delete;
  TraceTable& operator=(const TraceTable&) = delete;

  // Numbers of threads are smaller.
  static constexpr uint32_t kThreadLimit = 1U << 31;

  // Adds one sample of this weight. Returns false if there was no room; it is then counted as
  // dropped. An empty trace is a valid trace. Stores the trace's place in *place, for AddWeight.
  bool Add(std::span<const CallFrame> frames, bool cut, uint64_t weight, size_t* place = nullptr,
           TraceLabels labels = {}) noexcept;
  // Adds weight to a trace that was added before.
  void AddWeight(size_t place, uint64_t weight) noexcept;

  // Calls visit(const TraceView&) for each published trace, in no particular order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; i < entry_count_; ++i) {
      TraceView view;
      if (Read(i, &view)) visit(static_cast<const TraceView&>(view));
    }
  }

  // All of them, to be read more than once: what is added after that is not in it.
  std::vector<TraceView> All() const {
    std::vector<TraceView> all;
    ForEach([&](const TraceView& trace) { all.push_back(trace); });
    return all;
  }

  Usage usage() const;
  // Of the mapping, what traces have taken: the pages of the entries and of the arena.
  size_t memory_bytes() const;

 private:
  struct Entry {
    std::atomic<uint64_t> hash;  // 0: free
    // 0: not published yet; kNoRoom; otherwise the offset in the arena, and the period above kPeriodShift
    std::atomic<uint64_t> record;
    std::atomic<uint64_t> samples;
    std::atomic<uint64_t> weight;
  };
  struct Record;
  static constexpr uint64_t kNoRoom = 1;
  static constexpr size_t kMaxProbes = 64;
  static constexpr int kPeriodShift = 48;
  static constexpr uint64_t kOffsetMask = (uint64_t{1} << kPeriodShift) - 1;
  // Earlier periods in which a record is looked for.
  static constexpr uint32_t kEarlierPeriods = 4;

  TraceTable(char* mapping, size_t bytes, size_t entry_count);
  bool Read(size_t index, TraceView* view) const;
  uint64_t Publish(std::span<const CallFrame> frames, uint32_t flags) noexcept;
  uint64_t FindEarlier(std::span<const CallFrame> frames, uint32_t flags, uint64_t hash,
                       uint32_t period) const noexcept;
  bool Equals(uint64_t offset, std::span<const CallFrame> frames, uint32_t flags) const noexcept;
  bool Drop(uint64_t weight) noexcept;

  char* mapping_;
  size_t bytes_;
  Entry* entries_;
  size_t entry_count_;  // a power of two
  char* arena_;
  size_t arena_bytes_;
  std::atomic<uint64_t> arena_used_;
  std::atomic<uint64_t> records_{0};
  std::atomic<uint64_t> dropped_samples_{0};
  std::atomic<uint64_t> dropped_weight_{0};
};

}  // namespace iprof::sampling
