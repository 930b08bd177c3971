// SamplingSum: adds up the sampler's statistics of many profiles (docs/format.md, part "sampling").
//
// Numbers add up, and so do the pairs of "outcomes". Of "distinctStacks", "tableBytes" and "lastIntervalNs" the largest
// is kept, of "stoppedAfterMs" and "firstIntervalNs" the smallest. Texts are joined. A weight is a number of intervals
// ("intervalNs"), so only statistics with the same event and interval can be added. Rescale makes intervals equal.
//
// Where the interval adapted, "intervalNs" is the time that one sample of the profile stands for.
//
// Guarantees: adding is commutative and associative. Adding a value n times is the same as adding it
// with weight n. ToJson is deterministic.
// Threads: one per object. Failure: Parse returns nullopt if the text has another shape; sums
// saturate; std::bad_alloc.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "writer/base/weight_scale.h"

namespace iprof {

class Profile;

class SamplingSum {
 public:
  static std::optional<SamplingSum> Parse(std::string_view json, int64_t weight = 1);

  // What must be equal: event and interval.
  std::pair<std::string, int64_t> Kind() const { return {event_, interval_ns_}; }
  void Add(const SamplingSum& other);
  // Weights become numbers of this interval. A given interval, which did not adapt, is then no longer told.
  void Rescale(int64_t interval_ns);
  // A number that adds up, as "signals"; 0 if there is none of that name.
  int64_t Number(std::string_view name) const;
  // The signals that gave a stack; in profiles without outcomes also those that found no Java code.
  int64_t GoodSignals() const;
  // The first and the last interval in ns, equal if it never changed; nullopt if it did not adapt, or one of them is
  // not known. Of a sum: of those that adapted.
  std::optional<std::pair<int64_t, int64_t>> Adapted() const;
  // From weights that count first intervals, as those of a raw file do.
  WeightScale ScaleFromFirst() const;
  std::string ToJson() const;

 private:
  using Pair = std::array<int64_t, 2>;  // signals, weight

  std::string event_;
  int64_t interval_ns_ = 0;
  std::map<std::string, int64_t, std::less<>> numbers_;
  std::map<std::string, std::set<std::string>, std::less<>> texts_;
  std::map<std::string, Pair, std::less<>> outcomes_;
};

// The time for which a sample of weight 1 stands.
struct SampleTime {
  std::string event;  // "cpu", "wall"
  int64_t interval_ns = 0;
};
// Nullopt if the profile does not say it.
std::optional<SampleTime> SampleTimeOf(const Profile& profile);

// A profile with fewer signals is of little use: some consumers then ignore all samples.
inline constexpr int64_t kFewSignals = 500;

// How many signals the samples of a profile with this total weight are from: a signal can have more weight than one.
// `json` is the part "sampling", if there is one.
int64_t SignalsBehind(int64_t total_weight, std::optional<std::string_view> json);

}  // namespace iprof
