// RawCounts: the counts of an unloaded class, read from the bytes of its record (raw_format.h).
//
// Why not UnloadedCounts: a site takes three bytes of a file, and 48 of memory.
//
// Guarantees: reads only its input, and allocates nothing. Numbers ascend.
// Threads: any; pure functions. Failure: the reader's ok() is false; then the visitor saw what precedes the damage.
#pragma once

#include <cstdint>
#include <string_view>

#include "writer/base/sealed_bytes.h"

namespace iprof {

// A number that ascends from item to item, as the difference from the last one.
class RawAscending {
 public:
  explicit RawAscending(BoundedReader* in) : in_(in) {}
  uint32_t Next() {
    const uint32_t step = in_->Get();
    if ((step == 0 && !first_) || uint64_t{last_} + step > UINT32_MAX) return in_->Fail();
    first_ = false;
    return last_ += step;
  }

 private:
  BoundedReader* const in_;
  uint32_t last_ = 0;
  bool first_ = true;
};

// Calls visitor.Counter(number, count) for each counter, visitor.Site(number, lost) for each site, and
// visitor.Type(site, name, count) for each of its types.
template <typename Visitor>
void ReadRawCounts(BoundedReader* in, Visitor* visitor) {
  RawAscending counter(in);
  for (uint32_t left = in->GetCount(2); left > 0 && in->ok(); --left) {
    const uint32_t number = counter.Next();
    const uint64_t count = in->Get64();
    if (in->ok()) visitor->Counter(number, count);
  }
  RawAscending site(in);
  for (uint32_t left = in->GetCount(3); left > 0 && in->ok(); --left) {
    const uint32_t number = site.Next();
    const uint64_t lost = in->Get64();
    if (in->ok()) visitor->Site(number, lost);
    for (uint32_t types = in->GetCount(2); types > 0 && in->ok(); --types) {
      const std::string_view name = in->GetText();
      const uint64_t count = in->Get64();
      if (name.empty() || count == 0) in->Fail();  // no writer writes these
      if (in->ok()) visitor->Type(number, name, count);
    }
  }
}

}  // namespace iprof
