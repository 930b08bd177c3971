#include "agent/plan/self_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace iprof::instrument {

void SelfCheck::Note(MethodKey key, const ProbePlan& every, const ProbePlan& tree,
                     std::vector<BranchEdges> branches, CounterIndex first) {
  std::lock_guard lock(mutex_);
  methods_.push_back({std::move(key), every, tree, std::move(branches), first});
}

void SelfCheck::CompareBranches(const Method& method, const Values& values, BranchCheck* check) {
  std::vector<uint8_t> touched(method.tree.derivation.value_count());
  FindTouched(method.tree.derivation, method.tree.certificate, touched);
  std::vector<uint64_t> truth;
  std::vector<uint64_t> written;
  for (const BranchEdges& branch : method.branches) {
    truth.clear();
    written.clear();
    uint64_t executions = 0;
    uint64_t shown = 0;
    bool may_be_off = false;
    for (uint32_t e = branch.first_edge; e < branch.first_edge + branch.edge_count; ++e) {
      const ValueId c = method.every.value_of_edge[e];
      const ValueId d = method.tree.value_of_edge[e];
      if (c == kNoValue || d == kNoValue) break;  // in code that never runs
      truth.push_back(values.direct[c]);
      written.push_back(values.derived[d]);
      executions += truth.back();
      shown += written.back();
      may_be_off = may_be_off || touched[d] != 0;
    }
    if (truth.size() != branch.edge_count) continue;
    if (may_be_off && !SharesHold(shown, values.k)) {
      if (executions >= BranchCheck::kFewestExecutions) ++check->left_out;
    } else {
      check->Compare(fmt::format("{} bci {}", method.key.text(), branch.bci), truth, written);
    }
  }
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
    result.increments = std::accumulate(derived.begin(), derived.end(), result.increments);
    derived.resize(m.tree.derivation.value_count());
    Derive(m.tree.derivation, derived);
    const ErrorBound bound = BoundOf(m.tree.certificate, derived, live_frames(m.key));
    const uint64_t abrupt = BoundOf(m.tree.certificate, derived, 0).k;
    CompareBranches(m, {direct, derived, abrupt}, &result.branches);
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
          result.examples.push_back(fmt::format("{} edge {}: counted {}, derived {}, k = {}",
                                                m.key.text(), e, direct[c], derived[d], bound.k));
        }
      }
    }
  }
  return result;
}

std::string SelfCheckResult::Report() const {
  std::string report;
  report += fmt::format(
      "selfcheck: {} methods, {} counts: {} equal, {} within k, {} beyond k; largest difference "
      "{}\n",
      methods, counts, equal, within_bound, beyond_bound, largest_error);
  for (const std::string& example : examples)
    report += fmt::format("selfcheck: beyond k: {}\n", example);
  report += fmt::format(
      "selfcheck: {} increments with placement=tree\nselfcheck: {} branches with {} executions "
      "or more, {} of them left out: {} inverted, {} "
      "off by more than a point; largest difference {:.2f} points\n",
      increments, branches.compared + branches.left_out, BranchCheck::kFewestExecutions,
      branches.left_out, branches.inverted, branches.off, branches.largest_points);
  for (const std::string& example : branches.examples)
    report += fmt::format("selfcheck: off: {}\n", example);
  return report;
}

}  // namespace iprof::instrument
