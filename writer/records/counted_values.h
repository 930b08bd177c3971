// CountedValues: the values of one method after another, from the counters of the whole JVM.
//
// Why not a plain copy of a method's counters: some twenty bytes of a file can claim 262,144 of them, for each of a million
// methods, and all methods can claim the same ones.
//
// Guarantees: loading takes time in proportion to the record, and not to the counters that it claims, because only counters
// are read that the record uses. Memory is in proportion to the largest record, and some MiB more.
// Threads: one. Failure: throws std::bad_alloc; do not use the object any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "writer/records/derivation.h"
#include "writer/records/method_record.h"

namespace iprof {

// A counter that is not 0, among many that are.
struct NumberedCounter {
  uint32_t number;
  uint64_t count;
};

class CountedValues {
 public:
  // By CounterIndex. Those behind the last one are 0, unless they are among `more`, which ascend and are not 0. All
  // must outlive this object.
  explicit CountedValues(std::span<const uint64_t> counters,
                         std::span<const NumberedCounter> more = {});

  // The values of a method whose first counter this is. Those that the record does not use are 0.
  void Load(const MethodRecord& record, size_t first);

  // Of the method that was loaded last:
  bool ran() const { return ran_; }  // some counter of it is not 0
  uint64_t clamps() const { return clamps_; }
  uint64_t Of(ValueId value) const { return value == kNoValue ? 0 : values_[value]; }
  // Whether exceptions may have changed the value.
  bool IsTouched(ValueId value) const { return value != kNoValue && touched_[value] != 0; }
  // How far exceptions put them off; live frames may add to that.
  const ErrorBound& abrupt() const { return abrupt_; }
  // `record` is the one that was loaded.
  ErrorBound BoundWith(const MethodRecord& record, uint64_t live_frames) const {
    return BoundOf(record.certificate, values_, live_frames);
  }

 private:
  void Clear();
  bool IsAnyCounted(size_t first, size_t count) const;
  uint64_t At(size_t number) const;
  void Read(ValueId value);

  const std::span<const uint64_t> counters_;
  const std::span<const NumberedCounter> more_;
  std::vector<uint32_t> counted_before_;  // how many counters before each block are not 0
  size_t first_ = 0;
  uint32_t counters_end_ = 0;     // values below are counters
  uint32_t values_end_ = 0;       // and these are derived
  std::vector<uint64_t> values_;  // all 0, but those of the method
  std::vector<uint8_t> touched_;  // the same
  std::vector<ValueId> used_;     // counters whose value or touch is not 0
  bool ran_ = false;
  uint64_t clamps_ = 0;
  ErrorBound abrupt_{Exactness::kExact, 0};
};

}  // namespace iprof
