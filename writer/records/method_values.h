// MethodValues: the values of one method (executions of its edges, calls and entries), from its counters.
//
// Guarantees: a damaged record is refused. Threads: one at a time.
// Failure: Decode returns false; throws std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "writer/records/class_record.h"
#include "writer/records/derivation.h"
#include "writer/records/method_record.h"

namespace iprof {

class MethodValues {
 public:
  // False if the record is damaged.
  bool Decode(const ClassRecord& c, const CountedMethod& m) {
    size_t consumed = 0;
    const auto bytes = std::span<const uint8_t>(c.records).subspan(m.record);
    return DecodeMethodRecord(bytes, &record_, &consumed) == MethodRecordStatus::kRecord;
  }
  // `counter(i)` is the number of increments of the method's counter i.
  template <typename Counter>
  void Derive(const Counter& counter) {
    values_.assign(record_.derivation.value_count(), 0);
    for (uint32_t i = 0; i < record_.derivation.counter_count; ++i) values_[i] = counter(i);
    iprof::Derive(record_.derivation, values_);
  }

  const MethodRecord& record() const { return record_; }
  uint64_t Of(ValueId value) const { return value == kNoValue ? 0 : values_[value]; }
  double Entries() const { return static_cast<double>(Of(record_.entry)); }

 private:
  MethodRecord record_;
  std::vector<uint64_t> values_;
};

}  // namespace iprof
