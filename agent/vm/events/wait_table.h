// WaitTable: waits for locks: those that have begun, by thread, and the sums of those that have ended.
//
// Example: the thread 31 begins to wait for a monitor, and gets it 12 ms later. End(31, …) returns 12,000,000, and Add of the
// row {stack 5, type 2, thread 1} makes its sum 12 ms and 1 wait, or adds to it.
//
// Guarantees: a thread begins one wait at a time; another Begin forgets the one before. Waits that do not end are forgotten by
// ForgetBegun. At most kMostBegun waits and kMostRows rows are kept, and rows only while the budget has room; what finds no
// room is counted.
// Threads: any; a lock of a part is held for the time of a look-up. Failure: std::bad_alloc, which changes nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/instrument/table/memory_budget.h"
#include "writer/base/hash.h"

namespace iprof::vm {

class WaitTable {
 public:
  static constexpr size_t kMostBegun = 100'000;
  static constexpr size_t kMostRows = 100'000;

  // The numbers are those of EventStacks.
  struct Row {
    uint32_t stack;
    uint32_t type;
    uint32_t thread;
    uint32_t owner;  // a stack
    bool is_park;
    bool operator==(const Row&) const = default;
  };
  struct Sum {
    int64_t ns = 0;
    int64_t waits = 0;
  };
  struct Figures {
    uint64_t waits = 0;    // that were added
    uint64_t dropped = 0;  // of these: without room
    uint64_t shorter = 0;
  };

  // The budget must outlive this object.
  explicit WaitTable(instrument::MemoryBudget& budget) : budget_(budget) {}

  void Begin(int64_t thread, int64_t now_ns);
  // How long the thread has waited; nullopt if its wait began before the recording.
  std::optional<int64_t> End(int64_t thread, int64_t now_ns);
  void ForgetBegun();

  void Add(const Row& row, int64_t ns);
  // A wait that is below the threshold, and one that no stack could be taken of.
  void NoteShorter() { shorter_.fetch_add(1, std::memory_order_relaxed); }
  void NoteDropped();
  // Forgets the sums and the figures.
  void Reset();

  std::vector<std::pair<Row, Sum>> Rows() const;
  Figures figures() const;

 private:
  static constexpr size_t kParts = 16;
  struct Part {
    std::mutex mutex;
    std::unordered_map<int64_t, int64_t> begun;  // by thread: when
  };
  struct RowHash {
    size_t operator()(const Row& row) const;
  };

  Part& PartOf(int64_t thread) { return parts_[static_cast<uint64_t>(thread) % kParts]; }
  // With the mutex.
  void ReportMemory();

  instrument::MemoryBudget& budget_;
  std::array<Part, kParts> parts_;
  mutable std::mutex mutex_;  // guards the next three
  std::unordered_map<Row, Sum, RowHash> rows_;
  uint64_t waits_ = 0;
  uint64_t dropped_ = 0;
  std::atomic<uint64_t> shorter_{0};
};

}  // namespace iprof::vm
