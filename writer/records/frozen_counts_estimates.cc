// What becomes of the estimates: they are added to counts, kept for counters that go, and forgotten. See
// frozen_counts.h.
#include <algorithm>
#include <cmath>

#include "writer/records/frozen_counts.h"

namespace iprof {
namespace {

double AtOrZero(const std::vector<double>& estimates, size_t index) {
  return index < estimates.size() ? estimates[index] : 0;
}

// Whether any of a method's counters has one.
bool HasEstimate(const std::vector<double>& estimates, uint32_t first, uint32_t counters) {
  for (uint32_t i = 0; i < counters; ++i) {
    if (AtOrZero(estimates, size_t{first} + i) > 0) return true;
  }
  return false;
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

MethodEstimate FrozenCounts::EstimateOf(const Estimates& estimates, uint32_t first,
                                        const Method& method) {
  const auto found = estimates.calls.find(first);
  MethodEstimate made{.executions = Rounded(method.fewest)};
  if (found != estimates.calls.end()) made.calls = Rounded(found->second);
  const size_t end = std::min(size_t{first} + method.counters, estimates.increments.size());
  for (size_t i = first; i < end && made.calls == 0; ++i)
    made.calls = Rounded(estimates.increments[i]) > 0 ? 1 : 0;
  return made;
}

MethodEstimates FrozenCounts::Apply(const Estimates& estimates, RawCounts& counts) const {
  MethodEstimates calls = released_;
  for (const auto& [first, method] : methods_) {
    const std::vector<double>& estimated = estimates.increments;
    const size_t end = std::min(size_t{first} + method.counters, estimated.size());
    calls[method.name].Add(EstimateOf(estimates, first, method));
    if (!HasEstimate(estimated, first, method.counters)) continue;
    if (counts.counters.size() < end) counts.counters.resize(end);
    const SiteEstimate sites = EstimateSites(
        estimates, first, method, std::span(counts.counters).subspan(first, end - first));
    for (size_t i = first; i < end; ++i) counts.counters[i] += Rounded(estimated[i]);
    for (uint32_t s = 0; s < method.sites; ++s)
      ApplyObjects(sites, method.first_site + s, counts.types);
  }
  return calls;
}

// Of a method with an estimate; `counted`: by its counters.
FrozenCounts::SiteEstimate FrozenCounts::EstimateSites(const Estimates& estimates, uint32_t first,
                                                       const Method& method,
                                                       std::span<const uint64_t> counted) {
  const auto calls = estimates.calls.find(first);
  const double entries = calls == estimates.calls.end() ? 0 : calls->second;
  const double unsettled = std::max(entries - method.settled, 0.0);
  if (method.knows_objects) return {.objects = unsettled / method.entries};
  double sum = 0;
  double more = 0;
  for (size_t i = 0; i < counted.size(); ++i) {
    sum += static_cast<double>(counted[i]);
    more += AtOrZero(estimates.increments, first + i);
  }
  const double growth = sum > 0 ? more / sum : 0;
  return {.scale = 1 + (entries > 0 ? growth * unsettled / entries : growth)};
}

void FrozenCounts::ApplyObjects(const SiteEstimate& estimate, uint32_t site,
                                TypeCounts& types) const {
  types.Scale(site, estimate.scale);
  if (estimate.objects > 0) types.AddSite(objects_, site, estimate.objects);
  types.AddSite(settled_objects_, site);
}

void FrozenCounts::Release(CounterRange range, std::span<uint64_t> values) {
  const auto begin = static_cast<uint32_t>(range.first);
  history_.Forget(range);
  const auto from = methods_.lower_bound(begin);
  const auto to = methods_.lower_bound(begin + range.count);
  for (auto method = from; method != to; ++method)
    LeaveSites(method->first, method->second, values, method->first - begin);
  for (uint32_t i = 0; i < range.count; ++i) {
    if (begin + i < last_.size()) last_[begin + i] = 0;
    const auto calls = estimated_.calls.find(begin + i);
    const auto method = methods_.find(begin + i);
    if (method != methods_.end()) {
      const MethodEstimate named = EstimateOf(estimated_, begin + i, method->second);
      if (released_.size() < most_names_ || released_.contains(method->second.name)) {
        released_[method->second.name].Add(named);
      } else if (named.calls > 0) {
        ++unnamed_;
      }
    }
    if (calls != estimated_.calls.end()) estimated_.calls.erase(calls);
    if (begin + i >= estimated_.increments.size()) continue;
    double& estimate = estimated_.increments[begin + i];
    if (i < values.size()) values[i] += Rounded(estimate);
    estimate = 0;
  }
  for (auto method = from; method != to; ++method) frozen_ -= method->second.is_frozen ? 1 : 0;
  methods_.erase(from, to);
}

// What its sites saw is taken later.
void FrozenCounts::LeaveSites(uint32_t first, const Method& method,
                              std::span<const uint64_t> values, size_t at) {
  if (!HasEstimate(estimated_.increments, first, method.counters)) {
    ForgetObjects(method);
    for (uint32_t s = 0; s < method.sites; ++s) settled_objects_.Forget(method.first_site + s);
    return;
  }
  at = std::min(at, values.size());
  const SiteEstimate estimate =
      EstimateSites(estimated_, first, method,
                    values.subspan(at, std::min<size_t>(method.counters, values.size() - at)));
  for (uint32_t s = 0; s < method.sites; ++s) leaving_[method.first_site + s] = estimate;
}

void FrozenCounts::ReleaseSite(uint32_t site, TypeCounts& seen) {
  if (const auto leaving = leaving_.find(site); leaving != leaving_.end()) {
    ApplyObjects(leaving->second, site, seen);
    leaving_.erase(leaving);
  }
  objects_.Forget(site);
  settled_objects_.Forget(site);
  // Otherwise the classes that the old site saw would be subtracted from those that the new one sees.
  if (last_types_) last_types_->Forget(site);
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
