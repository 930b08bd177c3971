#include "agent/plan/weights/profile_weights.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "agent/plan/weights/method_hash.h"

namespace iprof::instrument {
ProfileWeights::ProfileWeights(const Profile& profile) : contexts_(profile) {
  constexpr uint64_t kNotHashed = 0;
  std::vector<uint64_t> hashes(profile.method_count(), kNotHashed);
  MethodHash hash;
  for (const EntryIndex entry : EntriesOf(profile, Table::kConditionals)) {
    const Frame frame = profile.InnermostFrame(profile.EntryContext(Table::kConditionals, entry));
    uint64_t& method = hashes[static_cast<size_t>(frame.method)];
    if (method == kNotHashed) method = hash.Of(profile, frame.method);
    Add(method, frame.bci, profile.EntrySuccessors(entry));
  }
  std::stable_sort(branches_.begin(), branches_.end(), [](const Branch& a, const Branch& b) {
    return std::tie(a.method, a.bci) < std::tie(b.method, b.bci);
  });
  branches_.shrink_to_fit();
  ways_.shrink_to_fit();
}

void ProfileWeights::Add(uint64_t method, Bci bci, std::span<const Successor> successors) {
  branches_.push_back(
      {method, bci, static_cast<uint32_t>(ways_.size()), static_cast<uint32_t>(successors.size())});
  for (const Successor& s : successors) {
    const bool is_bci = s.bci >= 0 && s.bci <= std::numeric_limits<Bci>::max();
    ways_.push_back({is_bci ? static_cast<Bci>(s.bci) : -1, static_cast<float>(s.count)});
  }
}

size_t ProfileWeights::bytes() const {
  return branches_.capacity() * sizeof(Branch) + ways_.capacity() * sizeof(Way) +
         contexts_.sites().size_bytes();
}

void ProfileWeights::Weigh(const MethodNames& names, const MethodGraph& method,
                           std::span<double> weights) const {
  if (method.recorded_count() == 0 || branches_.empty()) return;
  const uint64_t hash = MethodHash().Of(names);
  auto branch =
      std::lower_bound(branches_.begin(), branches_.end(), hash,
                       [](const Branch& b, uint64_t wanted) { return b.method < wanted; });
  // Both are in the order of the code. Entries with callers give several branches at one position.
  for (uint32_t n = 0; n < method.recorded_count(); ++n) {
    const MethodGraph::Recorded recorded = method.recorded(n);
    if (recorded.is_call || weights[recorded.first_edge] >= 0) continue;
    const Bci bci = static_cast<Bci>(method.BciOf(recorded.insn));
    while (branch != branches_.end() && branch->method == hash && branch->bci < bci) ++branch;
    for (; branch != branches_.end() && branch->method == hash && branch->bci == bci; ++branch) {
      const bool fits = Fit(*branch, method, recorded, weights);
      (fits ? fitting_ : unfitting_).fetch_add(1, std::memory_order_relaxed);
    }
  }
}

// Adds the counts of the profile's branch to the weights of the code's, unless they do not fit.
bool ProfileWeights::Fit(const Branch& branch, const MethodGraph& method,
                         const MethodGraph::Recorded& recorded, std::span<double> weights) const {
  const std::span<const Way> ways(ways_.data() + branch.first, branch.count);
  const auto edges = weights.subspan(recorded.first_edge, recorded.edge_count);
  const auto target = [&](size_t i) {
    return static_cast<Bci>(method.TargetOf(recorded.first_edge + static_cast<uint32_t>(i)));
  };
  // The way's number among the code's: the same, or the first with that target.
  std::vector<size_t> edge_of(ways.size());
  double total = 0;
  for (size_t i = 0; i < ways.size(); ++i) {
    total += ways[i].count;
    const bool in_place =
        ways.size() == edges.size() && (ways[i].bci < 0 || ways[i].bci == target(i));
    size_t at = i;
    if (!in_place) {
      if (ways[i].bci < 0) return false;
      for (at = 0; at < edges.size() && target(at) != ways[i].bci;) ++at;
      if (at == edges.size()) return false;
    }
    edge_of[i] = at;
  }
  if (total <= 0) return true;
  for (double& weight : edges) weight = std::max(weight, 0.0);
  for (size_t i = 0; i < ways.size(); ++i) edges[edge_of[i]] += ways[i].count;
  return true;
}

}  // namespace iprof::instrument
