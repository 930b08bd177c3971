// TraceTable: a bounded multiset of stack traces that signal handlers of many threads fill without
// locks.
//
// Guarantees:
//  - Add() is async-signal-safe: no allocation, no lock, no loop that waits for another thread.
//    Each trace costs one pass for its hash and, where it is known already, one pass to compare:
//    linear in depth.
//  - Equal traces share one record; a record never changes or moves once it is published, only its
//    two counters grow.
//  - Memory is one mapping of fixed size, reserved at creation; pages are touched as traces come.
//    When it is full, what does not fit is counted (drops()), never silently lost: every Add() ends
//    in a counter of a record or of the drops.
//  - ForEach() may run while others add: it sees every trace whose Add() had returned, and each
//    seen record whole.
//
// What it trusts: two traces of the same 64-bit hash are compared, unless the first of them is
// being published at that very moment; then the hash alone decides. (Waiting is not allowed: the
// publisher may be suspended.)
//
// Who calls: Create, ForEach and the destructor from normal threads; Add from anywhere. Destroy
// only when no handler can be inside.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "agent/sampling/core/call_trace.h"
#include "writer/base/status.h"

namespace iprof::sampling {

// A published trace. Frames are innermost first.
class TraceView {
 public:
  size_t depth() const { return depth_; }
  CallFrame frame(size_t i) const { return {bcis_[i], reinterpret_cast<void*>(methods_[i])}; }
  bool cut() const { return cut_; }              // the depth limit cut its outer end off
  uint64_t samples() const { return samples_; }  // signals
  uint64_t weight() const { return weight_; }    // intervals that these signals stand for

 private:
  friend class TraceTable;
  const uint64_t* methods_ = nullptr;
  const int32_t* bcis_ = nullptr;
  size_t depth_ = 0;
  bool cut_ = false;
  uint64_t samples_ = 0;
  uint64_t weight_ = 0;
};

class TraceTable {
 public:
  struct Usage {
    size_t distinct = 0;        // published traces
    size_t bytes_used = 0;      // of the arena
    size_t bytes_capacity = 0;  // of the arena
    uint64_t dropped_samples = 0;
    uint64_t dropped_weight = 0;
  };

  static constexpr size_t kMinBytes = size_t{64} << 10;
  static constexpr size_t kMaxBytes = size_t{64} << 30;

  // Fails with kLimit for a size outside the two constants, with kIo when the system refuses the
  // mapping.
  static Result<std::unique_ptr<TraceTable>> Create(size_t bytes);
  ~TraceTable();
  TraceTable(const TraceTable&) = delete;
  TraceTable& operator=(const TraceTable&) = delete;

  // Adds one sample of this weight. False: there was no room, and it is counted as dropped. An
  // empty trace is a trace. place: where it went, for AddWeight.
  bool Add(std::span<const CallFrame> frames, bool cut, uint64_t weight,
           size_t* place = nullptr) noexcept;
  // More weight for a trace that was added before.
  void AddWeight(size_t place, uint64_t weight) noexcept;

  // Calls visit(const TraceView&) for each published trace, in no particular order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; i < entry_count_; ++i) {
      TraceView view;
      if (Read(i, &view)) visit(static_cast<const TraceView&>(view));
    }
  }

  Usage usage() const;

 private:
  struct Entry {
    std::atomic<uint64_t> hash;    // 0: free
    std::atomic<uint64_t> record;  // 0: not published yet; kNoRoom; else the offset in the arena
    std::atomic<uint64_t> samples;
    std::atomic<uint64_t> weight;
  };
  struct Record;
  static constexpr uint64_t kNoRoom = 1;
  static constexpr size_t kMaxProbes = 64;

  TraceTable(char* mapping, size_t bytes, size_t entry_count);
  bool Read(size_t index, TraceView* view) const;
  uint64_t Publish(std::span<const CallFrame> frames, bool cut) noexcept;
  bool Equals(uint64_t offset, std::span<const CallFrame> frames, bool cut) const noexcept;
  bool Drop(uint64_t weight) noexcept;

  char* mapping_;
  size_t bytes_;
  Entry* entries_;
  size_t entry_count_;  // a power of two
  char* arena_;
  size_t arena_bytes_;
  std::atomic<uint64_t> arena_used_;
  std::atomic<uint64_t> dropped_samples_{0};
  std::atomic<uint64_t> dropped_weight_{0};
};

}  // namespace iprof::sampling
