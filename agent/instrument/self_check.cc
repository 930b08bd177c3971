#include "agent/instrument/self_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace iprof::instrument {

void SelfCheck::Note(std::string key, const ProbePlan& every, const ProbePlan& tree,
                     CounterIndex first) {
  std::lock_guard lock(mutex_);
  methods_.push_back({std::move(key), every, tree, first});
}

SelfCheckResult SelfCheck::Compare(std::span<const uint64_t> counters,
                                   const LiveFrameCount& live_frames) const {
  constexpr size_t kMostExamples = 20;
  std::lock_guard lock(mutex_);
  SelfCheckResult result;
  std::vector<uint64_t> direct;
  std::vector<uint64_t> derived;
  for (const Method& m : methods_) {
    const auto base = static_cast<size_t>(m.first);
    if (base + m.every.counter_count() > counters.size()) continue;
    const auto counted = counters.subspan(base, m.every.counter_count());
    if (std::all_of(counted.begin(), counted.end(), [](uint64_t c) { return c == 0; })) continue;
    ++result.methods;
    direct.assign(m.every.derivation.value_count(), 0);
    std::copy(counted.begin(), counted.end(), direct.begin());
    Derive(m.every.derivation, direct);
    const uint64_t unwinds =
        m.every.unwind_counter == kNoCounter ? 0 : counted[m.every.unwind_counter];
    ReplayCounters(m.every, counted, m.tree, unwinds, &derived);
    derived.resize(m.tree.derivation.value_count());
    Derive(m.tree.derivation, derived);
    const ErrorBound bound = BoundOf(m.tree.certificate, derived, live_frames(m.key));
    for (size_t e = 0; e < m.tree.value_of_edge.size(); ++e) {
      const ValueId d = m.tree.value_of_edge[e];
      const ValueId c = m.every.value_of_edge[e];
      if (d == kNoValue || c == kNoValue) continue;
      ++result.counts;
      const uint64_t error =
          direct[c] > derived[d] ? direct[c] - derived[d] : derived[d] - direct[c];
      result.largest_error = std::max(result.largest_error, error);
      if (error == 0) {
        ++result.equal;
      } else if (error <= bound.k) {
        ++result.within_bound;
      } else {
        ++result.beyond_bound;
        if (result.examples.size() < kMostExamples) {
          result.examples.push_back(fmt::format("{} edge {}: counted {}, derived {}, k = {}", m.key,
                                                e, direct[c], derived[d], bound.k));
        }
      }
    }
  }
  return result;
}

}  // namespace iprof::instrument
