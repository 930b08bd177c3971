// SamplingSum: adds up the sampler's statistics of many profiles (docs/format.md, part "sampling").
//
// Numbers add up, and so do the pairs of "outcomes". Of "distinctStacks" and "tableBytes" the largest
// is kept, of "stoppedAfterMs" the smallest. Texts are joined. A weight is a number of intervals, so
// only statistics with the same event and interval can be added.
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

namespace iprof {

class SamplingSum {
 public:
  static std::optional<SamplingSum> Parse(std::string_view json, int64_t weight = 1);

  // What must be equal: event and interval.
  std::pair<std::string, int64_t> Kind() const { return {event_, interval_ns_}; }
  void Add(const SamplingSum& other);
  // A number that adds up, as "signals"; 0 if there is none of that name.
  int64_t Number(std::string_view name) const;
  std::string ToJson() const;

 private:
  using Pair = std::array<int64_t, 2>;  // signals, weight

  std::string event_;
  int64_t interval_ns_ = 0;
  std::map<std::string, int64_t, std::less<>> numbers_;
  std::map<std::string, std::set<std::string>, std::less<>> texts_;
  std::map<std::string, Pair, std::less<>> outcomes_;
};

}  // namespace iprof
