#include "writer/records/count_window.h"

#include <algorithm>
#include <utility>

namespace iprof {
namespace {

uint64_t Less(uint64_t from, uint64_t amount) { return from - std::min(from, amount); }

uint64_t At(const std::vector<uint64_t>& counters, size_t index) {
  return index < counters.size() ? counters[index] : 0;
}

void SubtractCounters(std::vector<uint64_t>& from, const std::vector<uint64_t>& amount) {
  const size_t size = std::min(from.size(), amount.size());
  for (size_t i = 0; i < size; ++i) from[i] = Less(from[i], amount[i]);
}

void Subtract(RawCounts& from, const RawCounts& amount) {
  SubtractCounters(from.counters, amount.counters);
  from.types.SubtractAll(amount.types);
}

RawCounts CopyOf(const RawCounts& counts) {
  RawCounts copy{counts.counters, {}};
  copy.types.AddAll(counts.types);
  return copy;
}

size_t BytesOf(const RawCounts& counts) {
  return counts.counters.capacity() * sizeof(uint64_t) + counts.types.bytes();
}

}  // namespace

void CountWindow::Reset(RawCounts now) { outside_ = closed_ ? CopyOf(*closed_) : std::move(now); }

void CountWindow::Close(RawCounts now) {
  if (!closed_) closed_.emplace(std::move(now));
}

void CountWindow::Open(const RawCounts& now) {
  if (!closed_) return;
  // What was counted while the window was closed, and what was outside before.
  RawCounts outside = CopyOf(now);
  Subtract(outside, *closed_);
  outside.types.AddAll(outside_.types);
  for (size_t i = 0; i < std::min(outside.counters.size(), outside_.counters.size()); ++i)
    outside.counters[i] += outside_.counters[i];
  outside_ = std::move(outside);
  closed_.reset();
}

RawCounts CountWindow::Within(RawCounts now) const {
  RawCounts within = closed_ ? CopyOf(*closed_) : std::move(now);
  Subtract(within, outside_);
  return within;
}

void CountWindow::CountersWithin(std::vector<uint64_t>* now) const {
  if (closed_) *now = closed_->counters;
  SubtractCounters(*now, outside_.counters);
}

void CountWindow::Release(CounterRange range, std::span<uint64_t> values) {
  const auto first = static_cast<size_t>(range.first);
  for (size_t i = 0; i < values.size(); ++i) {
    if (closed_) values[i] = At(closed_->counters, first + i);
    values[i] = Less(values[i], At(outside_.counters, first + i));
    if (first + i < outside_.counters.size()) outside_.counters[first + i] = 0;
    if (closed_ && first + i < closed_->counters.size()) closed_->counters[first + i] = 0;
  }
}

void CountWindow::ReleaseSite(uint32_t site, TypeCounts& taken) {
  if (closed_) {
    taken.Forget(site);
    taken.AddSite(closed_->types, site);
    closed_->types.Forget(site);
  }
  taken.SubtractSite(outside_.types, site);
  outside_.types.Forget(site);
}

size_t CountWindow::bytes() const { return BytesOf(outside_) + (closed_ ? BytesOf(*closed_) : 0); }

}  // namespace iprof
