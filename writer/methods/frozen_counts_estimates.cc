// What becomes of the estimates: they are added to counts, kept for counters that go, and forgotten. See
// frozen_counts.h.
#include <algorithm>
#include <cmath>

#include "writer/methods/frozen_counts.h"

namespace iprof {
namespace {

uint64_t At(std::span<const uint64_t> counters, size_t index) {
  return index < counters.size() ? counters[index] : 0;
}

uint64_t Rounded(double estimate) {
  return static_cast<uint64_t>(
      std::llround(std::clamp(estimate, 0.0, FrozenCounts::kMostEstimate)));
}

}  // namespace

void FrozenCounts::Restart(std::span<const uint64_t> counters, double seconds,
                           const TypeCounts* types) {
  estimated_ = {};
  settled_objects_ = {};
  released_.clear();
  unnamed_ = 0;
  for (auto& [first, method] : methods_) method.settled = 0;
  std::erase_if(methods_, [&](const auto& method) {
    if (method.second.is_frozen) return false;
    ForgetObjects(method.second);
    return true;
  });
  Skip(counters, seconds, types);
}

void FrozenCounts::ForgetObjects(const Method& method) {
  for (uint32_t s = 0; s < method.sites; ++s) objects_.Forget(method.first_site + s);
}

// Before the method gets other objects: what was estimated until now saw those that it has.
void FrozenCounts::SettleObjects(uint32_t first, Method& method) {
  const auto calls = estimated_.calls.find(first);
  if (!method.knows_objects || calls == estimated_.calls.end()) return;
  const double entries = calls->second - method.settled;
  if (entries <= 0) return;
  for (uint32_t s = method.first_site; s < method.first_site + method.sites; ++s)
    settled_objects_.AddSite(objects_, s, entries / method.entries);
  method.settled = calls->second;
}

uint64_t FrozenCounts::NamedCalls(const Estimates& estimates, uint32_t first,
                                  const Method& method) {
  const auto found = estimates.calls.find(first);
  const uint64_t calls = found == estimates.calls.end() ? 0 : Rounded(found->second);
  if (calls > 0) return calls;
  const size_t end = std::min(size_t{first} + method.counters, estimates.increments.size());
  for (size_t i = first; i < end; ++i) {
    if (Rounded(estimates.increments[i]) > 0) return 1;
  }
  return 0;
}

FrozenCounts::EstimatedCalls FrozenCounts::Apply(const Estimates& estimates,
                                                 RawCounts& counts) const {
  EstimatedCalls calls = released_;
  for (const auto& [first, method] : methods_) {
    const std::vector<double>& estimated = estimates.increments;
    const size_t end = std::min(size_t{first} + method.counters, estimated.size());
    const auto found = estimates.calls.find(first);
    const double entries = found == estimates.calls.end() ? 0 : found->second;
    calls[method.name] += NamedCalls(estimates, first, method);
    double counted = 0;
    double more = 0;
    for (size_t i = first; i < end; ++i) {
      counted += static_cast<double>(At(counts.counters, i));
      more += estimated[i];
    }
    if (more <= 0) continue;
    if (counts.counters.size() < end) counts.counters.resize(end);
    for (size_t i = first; i < end; ++i) counts.counters[i] += Rounded(estimated[i]);
    ApplyObjects(method, entries, counted > 0 ? 1 + more / counted : 1, counts.types);
  }
  return calls;
}

void FrozenCounts::ApplyObjects(const Method& method, double entries, double growth,
                                TypeCounts& types) const {
  const double unsettled = std::max(entries - method.settled, 0.0);
  for (uint32_t s = method.first_site; s < method.first_site + method.sites; ++s) {
    if (!method.knows_objects) {
      types.Scale(s, entries > 0 ? 1 + (growth - 1) * unsettled / entries : growth);
    } else if (unsettled > 0) {
      types.AddSite(objects_, s, unsettled / method.entries);
    }
    types.AddSite(settled_objects_, s);
  }
}

void FrozenCounts::Release(CounterRange range, std::span<uint64_t> values) {
  const auto begin = static_cast<uint32_t>(range.first);
  history_.Forget(range);
  for (uint32_t i = 0; i < range.count; ++i) {
    if (begin + i < last_.size()) last_[begin + i] = 0;
    const auto calls = estimated_.calls.find(begin + i);
    const auto method = methods_.find(begin + i);
    if (method != methods_.end()) {
      const uint64_t named = NamedCalls(estimated_, begin + i, method->second);
      if (released_.size() < most_names_ || released_.contains(method->second.name)) {
        released_[method->second.name] += named;
      } else if (named > 0) {
        ++unnamed_;
      }
    }
    if (calls != estimated_.calls.end()) estimated_.calls.erase(calls);
    if (begin + i >= estimated_.increments.size()) continue;
    double& estimate = estimated_.increments[begin + i];
    if (i < values.size()) values[i] += Rounded(estimate);
    estimate = 0;
  }
  const auto from = methods_.lower_bound(begin);
  const auto to = methods_.lower_bound(begin + range.count);
  for (auto method = from; method != to; ++method) {
    ForgetObjects(method->second);
    for (uint32_t s = 0; s < method->second.sites; ++s)
      settled_objects_.Forget(method->second.first_site + s);
    frozen_ -= method->second.is_frozen ? 1 : 0;
  }
  methods_.erase(from, to);
}

// Otherwise the classes that the old sites saw would be subtracted from those that the new ones see.
void FrozenCounts::ReleaseSites(CounterRange sites) {
  if (!last_types_) return;
  for (uint32_t s = 0; s < sites.count; ++s)
    last_types_->Forget(static_cast<uint32_t>(sites.first) + s);
}

size_t FrozenCounts::bytes() const {
  size_t bytes = last_.capacity() * sizeof(uint64_t) + history_.bytes() +
                 estimated_.increments.capacity() * sizeof(double);
  bytes += objects_.bytes() + settled_objects_.bytes();
  bytes += last_types_ ? last_types_->bytes() : 0;
  for (const auto& [name, calls] : released_) bytes += sizeof(calls) + name.capacity();
  for (const auto& [first, method] : methods_)
    bytes += sizeof(method) + method.name.capacity() + method.shape.capacity() * sizeof(uint64_t);
  return bytes;
}

}  // namespace iprof
