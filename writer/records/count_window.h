// CountWindow: which part of the raw counts belongs to the recording.
//
// Why: counters in the JVM only grow, because setting them to zero would race with the program's
// increments. So a reset and a pause are subtractions. They are also exact for code that cannot stop
// counting: classes that keep their probes, and frames that were running when their class was
// restored.
//
// While the window is closed, the counts are those of the moment at which it was closed. What is
// counted until it is opened again never appears.
//
// Example, one counter:
//
//   in the JVM        0 ...... 100 ......... 250 ......... 900 ......... 930
//   what happens               Reset         Close         Open          Within
//   of the recording  |  0     |     150     |      0      |     30      |  = 180
//
// Guarantees: a count is never negative. Without a reset or a close it uses no memory, and counts
// pass unchanged.
// Threads: one at a time; the owner locks.
// Failure: throws std::bad_alloc; then the window is unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "writer/records/counter_range.h"
#include "writer/records/type_counts.h"

namespace iprof {

// Everything that was counted so far. Counters are by CounterIndex; those that are missing are 0.
struct RawCounts {
  std::vector<uint64_t> counters;
  TypeCounts types;
};

class CountWindow {
 public:
  bool is_open() const { return !closed_; }

  // Forgets what was counted so far.
  void Reset(RawCounts now);
  // From now on nothing counts. A no-op if the window is closed.
  void Close(RawCounts now);
  // What is counted from now on belongs to the recording again. A no-op if the window is open.
  void Open(const RawCounts& now);

  // The recording's part of the counts.
  RawCounts Within(RawCounts now) const;

  // The same in parts: the counters, and what makes the recording's part of the classes.
  void CountersWithin(std::vector<uint64_t>* now) const;
  const TypeCounts& types_outside() const { return outside_.types; }
  const TypeCounts* types_at_close() const { return closed_ ? &closed_->types : nullptr; }

  // For counters and sites whose numbers will be used by another class. `values` are those of the
  // range, and `site` is what was taken; both become the recording's part. The window forgets them.
  void Release(CounterRange range, std::span<uint64_t> values);
  void ReleaseSite(uint32_t site, TypeCounts& taken);

  size_t bytes() const;

 private:
  RawCounts outside_;                // counted, but not part of the recording
  std::optional<RawCounts> closed_;  // the counts when the window was closed
};

}  // namespace iprof
