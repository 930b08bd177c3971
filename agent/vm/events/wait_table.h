// WaitTable: waits for locks: those that have begun, by thread, and the sums of those that have ended.
//
// Example: the thread 31 begins to wait for a monitor, and gets it 12 ms later. End(31, …) returns 12,000,000, and Add of the
// row {stack 5, type 2, thread 1} makes its sum 12 ms and 1 wait, or adds to it.
//
// Guarantees: a thread has begun one wait at a time; another Begin forgets the one before. Waits that do not end are
// forgotten by ForgetBegun. At most kMostBegun waits are kept, and rows while there is room; what finds none is counted.
// Threads: any; locks are held for the time of a look-up. Failure: std::bad_alloc, which changes nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace iprof::vm {

class WaitTable {
 public:
  static constexpr size_t kMostBegun = 100'000;

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
    int64_t waits = 0;    // of at least the threshold
    int64_t dropped = 0;  // of these: in no row
    int64_t shorter = 0;
  };

  // `has_room`: whether there may be another row.
  explicit WaitTable(std::function<bool()> has_room) : has_room_(std::move(has_room)) {}

  void Begin(int64_t thread, int64_t now_ns);
  // How long the thread has waited; nullopt if that is not known, because the wait began before the recording.
  std::optional<int64_t> End(int64_t thread, int64_t now_ns);
  void ForgetBegun();

  void Add(const Row& row, int64_t ns);
  // A wait without a row: no stack could be taken of it.
  void NoteDropped();
  void NoteShorter() { shorter_.fetch_add(1, std::memory_order_relaxed); }
  // Forgets the rows and the figures.
  void Reset();

  std::vector<std::pair<Row, Sum>> Rows() const;
  Figures figures() const;
  // Of the rows and of the waits that have begun. Takes no lock.
  size_t bytes() const;

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

  const std::function<bool()> has_room_;
  std::array<Part, kParts> parts_;
  mutable std::mutex mutex_;  // guards the next three
  std::unordered_map<Row, Sum, RowHash> rows_;
  int64_t waits_ = 0;
  int64_t dropped_ = 0;
  std::atomic<int64_t> shorter_{0};
  std::atomic<size_t> row_count_{0};
  std::atomic<size_t> begun_count_{0};
};

}  // namespace iprof::vm
