#include "writer/ops/consumer_view.h"

#include <algorithm>

namespace iprof {
namespace {

// How many callers an entry and the query have in common, innermost first, and whether that is all
// callers of either.
struct Agreement {
  size_t common;
  bool entry_is_prefix;  // the query's chain begins with the entry's whole chain
  bool asked_is_prefix;  // the entry's chain begins with the query's whole chain
};

Agreement Compare(const Profile& profile, ContextIndex context, std::span<const Frame> callers) {
  size_t common = 0;
  ContextIndex at = profile.Caller(context);
  while (at != kNoContext && common < callers.size() &&
         profile.InnermostFrame(at) == callers[common]) {
    ++common;
    at = profile.Caller(at);
  }
  return {common, at == kNoContext, common == callers.size()};
}

bool HasUsableIndices(std::span<const Successor> successors) {
  return std::all_of(successors.begin(), successors.end(), [](const Successor& s) {
    return s.index >= 0 && s.index <= kMaxSuccessorIndex;
  });
}

}  // namespace

std::vector<BranchView::Outcome> ConsumerOutcomes(std::span<const Successor> successors) {
  if (!HasUsableIndices(successors)) return {};
  std::map<int64_t, int64_t> count_of_index;
  int64_t total = 0;
  for (const Successor& s : successors) {
    int64_t& count = count_of_index[s.index];
    count = SaturatingAdd(count, s.count);
    total = SaturatingAdd(total, s.count);
  }
  if (total == 0) return {};
  // The consumer distributes an index's share over its triples, clamps them, and adds them
  // up again.
  std::map<int64_t, size_t> triples_of_index;
  for (const Successor& s : successors) ++triples_of_index[s.index];
  size_t zero_triples = 0;
  for (const auto& [index, count] : count_of_index) {
    if (count == 0) zero_triples += triples_of_index[index];
  }
  const auto triple_count = static_cast<double>(successors.size());
  const double adjustment = static_cast<double>(zero_triples) * kConsumerZeroProbability;
  const double scale =
      1 / (1 - (triple_count - static_cast<double>(zero_triples)) * kConsumerZeroProbability);
  const auto clamped = [&](int64_t index) {
    const auto triples = static_cast<double>(triples_of_index[index]);
    const double share =
        static_cast<double>(count_of_index[index]) / (triples * static_cast<double>(total));
    if (zero_triples == 0) return triples * share;
    if (share == 0) return triples * kConsumerZeroProbability;
    return triples * (share - adjustment * (share - kConsumerZeroProbability) * scale);
  };
  std::map<int64_t, int64_t> index_of_bci;  // the last triple of a bci wins
  for (const Successor& s : successors) {
    if (s.bci != kRepeatedSuccessorBci) index_of_bci[s.bci] = s.index;
  }
  std::vector<BranchView::Outcome> outcomes;
  for (const auto& [bci, index] : index_of_bci) {
    outcomes.push_back({bci, clamped(index), count_of_index[index]});
  }
  return outcomes;
}

ConsumerView::ConsumerView(const Profile& profile) : profile_(profile) {
  for (const Table table :
       {Table::kCalls, Table::kConditionals, Table::kVirtualInvokes, Table::kInstanceOfs}) {
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
      sites_[static_cast<size_t>(table)][{frame.method, frame.bci}].push_back(entry);
    }
  }
}

Match ConsumerView::Find(Table table, Site site, std::span<const Frame> callers,
                         std::vector<EntryIndex>& entries) const {
  Match match;
  const Sites& sites = sites_[static_cast<size_t>(table)];
  const auto found = sites.find(site);
  if (found == sites.end()) return match;
  std::optional<EntryIndex> best;
  for (const EntryIndex entry : found->second) {
    const Agreement agreement = Compare(profile_, profile_.EntryContext(table, entry), callers);
    if (agreement.asked_is_prefix) {
      entries.push_back(entry);
    } else if (agreement.entry_is_prefix && (!best || agreement.common > match.callers_matched)) {
      best = entry;
      match.callers_matched = agreement.common;
    }
  }
  if (!entries.empty()) {
    match.exact = true;
    match.callers_matched = callers.size();
  } else if (best) {
    entries.push_back(*best);
  }
  match.found = !entries.empty();
  match.entries = entries.size();
  return match;
}

CallView ConsumerView::Calls(MethodIndex method) const { return Calls(method, {}); }

CallView ConsumerView::Calls(MethodIndex method, std::span<const Frame> callers) const {
  CallView view;
  std::vector<EntryIndex> entries;
  view.match = Find(Table::kCalls, {method, 0}, callers, entries);
  for (const EntryIndex entry : entries) {
    view.count = SaturatingAdd(view.count, profile_.EntryCount(Table::kCalls, entry));
  }
  return view;
}

BranchView ConsumerView::Branch(MethodIndex method, Bci bci, std::span<const Frame> callers) const {
  BranchView view;
  std::vector<EntryIndex> entries;
  view.match = Find(Table::kConditionals, {method, bci}, callers, entries);
  std::vector<std::span<const Successor>> lists;
  for (const EntryIndex entry : entries) lists.push_back(profile_.EntrySuccessors(entry));
  const std::vector<Successor> successors = SumOfSuccessors(lists);
  // The entries are checked, because a sum may have a new numbering.
  if (std::all_of(lists.begin(), lists.end(), HasUsableIndices)) {
    view.outcomes = ConsumerOutcomes(successors);
  }
  if (view.outcomes.empty()) view.match.found = false;
  for (const Successor& s : successors) view.total = SaturatingAdd(view.total, s.count);
  return view;
}

ReceiverView ConsumerView::Receivers(Table table, MethodIndex method, Bci bci,
                                     std::span<const Frame> callers) const {
  ReceiverView view;
  std::vector<EntryIndex> entries;
  view.match = Find(table, {method, bci}, callers, entries);
  std::map<TypeIndex, int64_t> counts;
  for (const EntryIndex entry : entries) {
    for (const TypeCount& t : profile_.EntryTypeCounts(table, entry)) {
      counts[t.type] = SaturatingAdd(counts[t.type], t.count);
      view.total = SaturatingAdd(view.total, t.count);
    }
  }
  if (view.total == 0) {
    view.match.found = false;
    return view;
  }
  for (const auto& [type, count] : counts) {
    view.receivers.push_back(
        {type, static_cast<double>(count) / static_cast<double>(view.total), count});
  }
  std::sort(view.receivers.begin(), view.receivers.end(), [&](const auto& a, const auto& b) {
    if (a.count != b.count) return a.count > b.count;
    return profile_.TypeName(a.type) < profile_.TypeName(b.type);
  });
  return view;
}

}  // namespace iprof
