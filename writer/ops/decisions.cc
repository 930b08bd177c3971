#include "writer/ops/decisions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "writer/ops/hot_set.h"
#include "writer/ops/merge_mapping.h"
#include "writer/profile/branch_outcomes.h"

namespace iprof {
namespace {

constexpr double kOff = 0.10;
constexpr double kLeastDispatched = 0.10;
constexpr size_t kMostDispatched = 3;

// Counts by bci or class, and by context or method, with indices of the united profile.
using Outcomes = std::map<int64_t, double>;
using Sites = std::map<uint32_t, Outcomes>;

double Sum(const Outcomes& outcomes) {
  return std::accumulate(outcomes.begin(), outcomes.end(), 0.0,
                         [](double sum, const auto& one) { return sum + one.second; });
}

// What one profile says, in terms of the united profile.
struct View {
  MethodWeights methods;
  Sites branches;
  Sites receivers;
};

View ViewOf(const Profile& profile, const IndexMapping& mapping, const Profile& united) {
  View view;
  const auto context_of = [&](Table table, EntryIndex entry) {
    return mapping(profile.EntryContext(table, entry));
  };
  const auto weigh = [&](ContextIndex context, double count) {
    view.methods[static_cast<uint32_t>(united.InnermostFrame(context).method)] += count;
  };
  for (const EntryIndex entry : EntriesOf(profile, Table::kCalls)) {
    weigh(context_of(Table::kCalls, entry),
          static_cast<double>(profile.EntryCount(Table::kCalls, entry)));
  }
  for (const EntryIndex entry : EntriesOf(profile, Table::kConditionals)) {
    const ContextIndex context = context_of(Table::kConditionals, entry);
    const auto successors = profile.EntrySuccessors(entry);
    const std::vector<int64_t> outcomes = OutcomesOf(successors);
    Outcomes& site = view.branches[static_cast<uint32_t>(context)];
    for (size_t i = 0; i < successors.size(); ++i) {
      const auto count = static_cast<double>(successors[i].count);
      site[outcomes[i]] += count;
      weigh(context, count);
    }
  }
  for (const EntryIndex entry : EntriesOf(profile, Table::kVirtualInvokes)) {
    Outcomes& site =
        view.receivers[static_cast<uint32_t>(context_of(Table::kVirtualInvokes, entry))];
    for (const TypeCount& type : profile.EntryTypeCounts(Table::kVirtualInvokes, entry)) {
      site[static_cast<int64_t>(mapping(type.type))] += static_cast<double>(type.count);
    }
  }
  return view;
}

// The share of `weights` in the methods that are in `hot` but not in `other`.
double ShareOutside(const MethodWeights& weights, const std::set<uint32_t>& hot,
                    const std::set<uint32_t>& other) {
  double total = 0;
  double outside = 0;
  for (const auto& [method, weight] : weights) {
    total += weight;
    if (hot.contains(method) && !other.contains(method)) outside += weight;
  }
  return total > 0 ? outside / total : 0;
}

double ShareAt(const Outcomes& outcomes, int64_t outcome, double sum) {
  const auto found = outcomes.find(outcome);
  return found == outcomes.end() ? 0 : found->second / sum;
}

bool IsOff(const Outcomes& a, double sum_a, const Outcomes& b, double sum_b) {
  const auto differs = [&](const auto& one) {
    return std::abs(ShareAt(a, one.first, sum_a) - ShareAt(b, one.first, sum_b)) > kOff;
  };
  return std::any_of(a.begin(), a.end(), differs) || std::any_of(b.begin(), b.end(), differs);
}

bool IsInverted(const Outcomes& a, double sum_a, const Outcomes& b, double sum_b) {
  for (const auto& [outcome, count] : a) {
    if (count * 2 <= sum_a) continue;
    const double share = ShareAt(b, outcome, sum_b);
    return std::any_of(b.begin(), b.end(),
                       [&](const auto& one) { return one.second / sum_b > share; });
  }
  return false;  // A has no majority
}

std::set<int64_t> Dispatched(const Outcomes& site, double sum) {
  std::vector<std::pair<double, int64_t>> ranked;
  for (const auto& [type, count] : site) {
    if (count >= kLeastDispatched * sum) ranked.emplace_back(count, type);
  }
  std::sort(ranked.begin(), ranked.end(), std::greater<>());
  ranked.resize(std::min(ranked.size(), kMostDispatched));
  std::set<int64_t> dispatched;
  for (const auto& [count, type] : ranked) dispatched.insert(type);
  return dispatched;
}

// Calls visit(a, sum_a, b, sum_b) for each site with counts in both. Returns the sum of A's counts
// at all sites.
template <typename Visit>
double ForEachInBoth(const Sites& a, const Sites& b, Visit visit) {
  double total = 0;
  for (const auto& [context, outcomes] : a) {
    const double sum = Sum(outcomes);
    if (sum <= 0) continue;
    total += sum;
    const auto found = b.find(context);
    if (found == b.end()) continue;
    const double sum_b = Sum(found->second);
    if (sum_b > 0) visit(outcomes, sum, found->second, sum_b);
  }
  return total;
}

}  // namespace

Decisions CompareDecisions(const Profile& a, const Profile& b) {
  Profile united;
  const IndexMapping of_a = MapInto(a, united);
  const IndexMapping of_b = MapInto(b, united);
  const View in_a = ViewOf(a, of_a, united);
  const View in_b = ViewOf(b, of_b, united);
  Decisions decisions;
  const std::set<uint32_t> hot_a = HottestByWeight(in_a.methods);
  const std::set<uint32_t> hot_b = HottestByWeight(in_b.methods);
  decisions.hot = {.in_a = hot_a.size(),
                   .in_b = hot_b.size(),
                   .missed = ShareOutside(in_a.methods, hot_a, hot_b),
                   .extra = ShareOutside(in_b.methods, hot_b, hot_a)};
  BranchDecisions& branches = decisions.branches;
  const double executions =
      ForEachInBoth(in_a.branches, in_b.branches,
                    [&](const Outcomes& x, double sum_x, const Outcomes& y, double sum_y) {
                      branches.known += sum_x;
                      if (IsOff(x, sum_x, y, sum_y)) branches.off += sum_x;
                      if (IsInverted(x, sum_x, y, sum_y)) branches.inverted += sum_x;
                    });
  if (executions > 0) {
    branches.known /= executions;
    branches.off /= executions;
    branches.inverted /= executions;
  }
  ReceiverDecisions& receivers = decisions.receivers;
  const double calls =
      ForEachInBoth(in_a.receivers, in_b.receivers,
                    [&](const Outcomes& x, double sum_x, const Outcomes& y, double sum_y) {
                      receivers.known += sum_x;
                      if (Dispatched(x, sum_x) != Dispatched(y, sum_y)) receivers.other += sum_x;
                    });
  if (calls > 0) {
    receivers.known /= calls;
    receivers.other /= calls;
  }
  return decisions;
}

}  // namespace iprof
