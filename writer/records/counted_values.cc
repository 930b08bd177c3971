#include "writer/records/counted_values.h"

#include <algorithm>

namespace iprof {
namespace {

constexpr size_t kBlock = 64;

uint32_t NotZero(std::span<const uint64_t> counters) {
  return static_cast<uint32_t>(
      std::count_if(counters.begin(), counters.end(), [](uint64_t count) { return count != 0; }));
}

auto FirstFrom(std::span<const NumberedCounter> counters, size_t number) {
  return std::lower_bound(
      counters.begin(), counters.end(), number,
      [](const NumberedCounter& counter, size_t wanted) { return counter.number < wanted; });
}

}  // namespace

CountedValues::CountedValues(std::span<const uint64_t> counters,
                             std::span<const NumberedCounter> more)
    : counters_(counters), more_(more) {
  counted_before_.reserve(counters.size() / kBlock + 1);
  uint32_t before = 0;
  for (size_t at = 0; at <= counters.size(); at += kBlock) {
    counted_before_.push_back(before);
    before += NotZero(counters.subspan(at, std::min(kBlock, counters.size() - at)));
  }
}

bool CountedValues::IsAnyCounted(size_t first, size_t count) const {
  const size_t begin = std::min(first, counters_.size());
  const size_t end = begin + std::min(count, counters_.size() - begin);
  const auto before = [this](size_t at) {
    const size_t block = at / kBlock;
    return counted_before_[block] + NotZero(counters_.subspan(block * kBlock, at % kBlock));
  };
  const bool is_small = end - begin <= kBlock;
  if (is_small ? NotZero(counters_.subspan(begin, end - begin)) > 0 : before(begin) != before(end))
    return true;
  const auto next = FirstFrom(more_, first);
  return next != more_.end() && next->number - first < count;
}

uint64_t CountedValues::At(size_t number) const {
  if (number < counters_.size()) return counters_[number];
  const auto found = FirstFrom(more_, number);
  return found != more_.end() && found->number == number ? found->count : 0;
}

void CountedValues::Clear() {
  for (const ValueId value : used_) {
    values_[value] = 0;
    touched_[value] = 0;
  }
  used_.clear();
  std::fill(values_.begin() + counters_end_, values_.begin() + values_end_, uint64_t{0});
  std::fill(touched_.begin() + counters_end_, touched_.begin() + values_end_, uint8_t{0});
  ran_ = false;
  clamps_ = 0;
  abrupt_ = {Exactness::kExact, 0};
}

void CountedValues::Read(ValueId value) {
  if (value >= counters_end_ || values_[value] != 0) return;  // derived, or read
  const uint64_t count = At(first_ + value);
  if (count == 0) return;
  values_[value] = count;
  used_.push_back(value);
}

void CountedValues::Load(const MethodRecord& record, size_t first) {
  Clear();
  const Derivation& derivation = record.derivation;
  first_ = first;
  if (values_.size() < derivation.value_count()) {
    values_.resize(derivation.value_count());
    touched_.resize(derivation.value_count());
  }
  counters_end_ = derivation.counter_count;
  values_end_ = derivation.value_count();
  ran_ = IsAnyCounted(first, derivation.counter_count);
  if (!ran_) return;
  const Certificate& certificate = record.certificate;
  Read(record.entry);
  for (const Operand& operand : derivation.operands) Read(operand.value());
  for (const ValueId value : certificate.abrupt) Read(value);
  for (const ValueId value : certificate.thrown) Read(value);
  for (const BranchSuccessor& successor : record.successors) Read(successor.value);
  for (const CallSite& call : record.calls) Read(call.value);
  clamps_ = Derive(derivation, values_);
  abrupt_ = BoundOf(certificate, values_, 0);
  if (abrupt_.k == 0) return;
  for (const ValueId value : certificate.disturbed) {
    if (value < counters_end_) used_.push_back(value);
  }
  SpreadTouched(derivation, certificate, touched_);
}

}  // namespace iprof
