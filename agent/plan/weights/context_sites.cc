#include "agent/plan/weights/context_sites.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include "agent/plan/weights/method_hash.h"

namespace iprof::instrument {
namespace {

// Of the code that runs while a virtual thread is mounted or unmounted, and of what that calls.
constexpr std::string_view kNeverIn[] = {"java.lang.Object",
                                         "java.lang.Thread",
                                         "java.lang.VirtualThread",
                                         "java.lang.BaseVirtualThread",
                                         "java.lang.System",
                                         "java.lang.invoke.",
                                         "jdk.internal."};

bool IsLeftOut(std::string_view type) {
  return std::any_of(std::begin(kNeverIn), std::end(kNeverIn), [&](std::string_view prefix) {
    if (!type.starts_with(prefix)) return false;
    // Also nested classes and "java.lang.ThreadLocal", but not "java.lang.Objects".
    return prefix != "java.lang.Object" || type.size() == prefix.size();
  });
}

// What happened at one position, with all callers.
struct Pooled {
  uint64_t all = 0;
  std::map<int64_t, uint64_t> outcomes;  // by class or by successor

  void Add(int64_t outcome, int64_t count) {
    all += static_cast<uint64_t>(count);
    outcomes[outcome] += static_cast<uint64_t>(count);
  }
  double TopShare() const {
    uint64_t top = 0;
    for (const auto& [outcome, count] : outcomes) top = std::max(top, count);
    return all == 0 ? 1 : static_cast<double>(top) / static_cast<double>(all);
  }
};

using Positions = std::map<std::tuple<MethodIndex, Bci, bool>, Pooled>;

Positions PooledCounts(const Profile& profile) {
  Positions positions;
  for (const Table table : {Table::kConditionals, Table::kVirtualInvokes}) {
    const bool is_call = table == Table::kVirtualInvokes;
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
      Pooled& pooled = positions[{frame.method, frame.bci, is_call}];
      if (is_call) {
        for (const TypeCount& one : profile.EntryTypeCounts(table, entry))
          pooled.Add(static_cast<int64_t>(one.type), one.count);
      } else {
        for (const Successor& one : profile.EntrySuccessors(entry))
          pooled.Add(one.index, one.count);
      }
    }
  }
  return positions;
}

struct Candidate {
  ContextSite site;
  MethodIndex method;
};

// The most frequent ones first.
std::vector<Candidate> CandidatesIn(const Profile& profile) {
  std::vector<Candidate> candidates;
  MethodHash hash;
  for (const auto& [position, pooled] : PooledCounts(profile)) {
    const auto& [method, bci, is_call] = position;
    const double sure = is_call ? ContextSites::kSureShare : 1 - ContextSites::kRareShare;
    if (bci < 0 || pooled.TopShare() >= sure ||
        IsLeftOut(profile.TypeName(profile.DeclaringType(method))))
      continue;
    candidates.push_back(
        {{hash.Of(profile, method), profile.CodeHash(method), bci, is_call, pooled.all}, method});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.site.executions > b.site.executions;
  });
  return candidates;
}

bool HasCode(const ContextSite& site, uint64_t code_hash) {
  constexpr int kOthers = 64 - kCodeHashBits;
  return site.code_hash == 0 || site.code_hash >> kOthers == code_hash >> kOthers;
}

}  // namespace

ContextSites::ContextSites(const Profile& profile) {
  const std::vector<Candidate> candidates = CandidatesIn(profile);
  double all = 0;
  for (const Candidate& one : candidates) all += static_cast<double>(one.site.executions);
  double taken = 0;
  for (const Candidate& one : candidates) {
    if (sites_.size() == kMost || taken >= kShareOfAll * all) break;
    taken += static_cast<double>(one.site.executions);
    sites_.push_back(one.site);
    classes_.emplace(profile.TypeName(profile.DeclaringType(one.method)));
  }
  std::stable_sort(sites_.begin(), sites_.end(), [](const ContextSite& a, const ContextSite& b) {
    return std::tie(a.method, a.bci) < std::tie(b.method, b.bci);
  });
}

ContextSites::OfMethod ContextSites::Of(const MethodNames& names, uint64_t code_hash) const {
  if (sites_.empty()) return {};
  const uint64_t hash = MethodHash().Of(names);
  const auto first = std::lower_bound(
      sites_.begin(), sites_.end(), hash,
      [](const ContextSite& site, uint64_t wanted) { return site.method < wanted; });
  auto last = first;
  while (last != sites_.end() && last->method == hash) ++last;
  if (first == last || !HasCode(*first, code_hash)) return {};
  return {static_cast<uint32_t>(first - sites_.begin()), {first, last}};
}

}  // namespace iprof::instrument
