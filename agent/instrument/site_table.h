// SiteTable: the site records of every method that was instrumented, in order, for ever.
//
// Guarantees:
//  - Append-only: a record never moves or changes once appended, so that a reader may look at it
//    without a lock, and what was appended when is the raw file's order too.
//  - Append is atomic: a record is visible whole or not at all, in one total order.
//  - Bytes are those of writer/sites/site_record.h, so that a snapshot copies them as they are.
//
// Any thread may append (classes load in parallel) and read. Append holds a lock for the copy only,
// and calls nothing that could block or re-enter. Memory: chunks of 256 KiB, about 25-60 bytes a
// method. Out of memory: Append returns false and the table is as it was; the caller leaves the
// method uninstrumented.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "writer/sites/site_record.h"

namespace iprof::instrument {

// A place in the table: 0 is the start, the end is where the next record will stand.
enum class SitePosition : uint64_t {};

class SiteTable {
 public:
  static constexpr size_t kChunkBytes = 256 * 1024;

  [[nodiscard]] bool Append(const MethodRecord& record);

  // Everything appended so far lies before it.
  SitePosition End() const;
  size_t record_count() const { return record_count_.load(std::memory_order_acquire); }
  size_t MemoryBytes() const;

  // Calls visit(bytes) with runs of whole records from `from` (0 or an earlier End()) up to `to`
  // (an End()). The bytes stay valid while the table lives. Returns `to`.
  template <typename Visit>
  SitePosition VisitBytes(SitePosition from, SitePosition to, Visit visit) const {
    for (uint64_t at = static_cast<uint64_t>(from); at < static_cast<uint64_t>(to);) {
      const std::span<const uint8_t> run = RunAt(at, static_cast<uint64_t>(to));
      visit(run);
      at += run.size();
    }
    return to;
  }

 private:
  // Chunks are as long as the records that they got; a chunk's first byte has position `begin`.
  struct Chunk {
    uint64_t begin;
    size_t capacity;
    std::unique_ptr<uint8_t[]> bytes;
  };

  std::span<const uint8_t> RunAt(uint64_t at, uint64_t to) const;

  mutable std::mutex mutex_;
  std::vector<Chunk> chunks_;
  uint64_t end_ = 0;
  std::atomic<size_t> record_count_{0};
};

}  // namespace iprof::instrument
