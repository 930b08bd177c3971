#include "writer/branch_outcomes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace iprof {
namespace {

// One triple of one list: the k-th of its outcome.
struct Part {
  Outcome outcome;
  uint32_t k;
  int64_t count;
};

// Rank 0 last within its bci, so that it is what the consumer finds.
bool PartLess(const Part& a, const Part& b) {
  return std::tie(a.outcome.bci, b.outcome.rank, a.k) <
         std::tie(b.outcome.bci, a.outcome.rank, b.k);
}

void AppendParts(std::span<const Successor> list, std::vector<Part>& parts) {
  const std::vector<Outcome> outcomes = OutcomesOf(list);
  const size_t first = parts.size();
  for (size_t i = 0; i < list.size(); ++i) {
    const uint32_t repeats = list[i].bci == kRepeatedSuccessorBci ? 1 : 0;
    parts.push_back({outcomes[i], repeats, list[i].count});
  }
  std::stable_sort(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end(), PartLess);
  uint32_t k = 0;
  for (size_t i = first; i < parts.size(); ++i) {
    k = i > first && parts[i].outcome == parts[i - 1].outcome ? k + 1 : 0;
    parts[i].k = k;
  }
}

std::vector<Successor> SumOfOneShape(std::span<const std::span<const Successor>> lists) {
  std::vector<Successor> sum(lists[0].begin(), lists[0].end());
  for (const std::span<const Successor> list : lists.subspan(1)) {
    for (size_t i = 0; i < sum.size(); ++i) {
      sum[i].count = SaturatingAdd(sum[i].count, list[i].count);
    }
  }
  return sum;
}

}  // namespace

std::vector<Outcome> OutcomesOf(std::span<const Successor> list) {
  std::map<int64_t, int64_t> taken_index;  // by bci: the last index that has it
  for (const Successor& s : list) taken_index[s.bci] = s.index;

  struct Name {
    Outcome outcome;
    bool is_taken = false;
    bool is_ranked = false;
  };
  std::map<int64_t, Name> names;  // by index
  for (const Successor& s : list) {
    Name& name = names[s.index];
    if (s.bci == kRepeatedSuccessorBci || name.is_taken) continue;
    name.is_taken = taken_index[s.bci] == s.index;
    if (name.is_taken || name.outcome.bci == kRepeatedSuccessorBci) name.outcome.bci = s.bci;
  }

  std::map<int64_t, uint32_t> next_rank;  // by bci
  for (size_t i = list.size(); i-- > 0;) {
    Name& name = names[list[i].index];
    if (list[i].bci == kRepeatedSuccessorBci || list[i].bci != name.outcome.bci) continue;
    if (!std::exchange(name.is_ranked, true)) name.outcome.rank = next_rank[list[i].bci]++;
  }

  std::vector<Outcome> outcomes;
  outcomes.reserve(list.size());
  for (const Successor& s : list) outcomes.push_back(names[s.index].outcome);
  return outcomes;
}

bool SameShape(std::span<const Successor> a, std::span<const Successor> b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const Successor& x, const Successor& y) { return x.bci == y.bci && x.index == y.index; });
}

std::vector<Successor> SumOfSuccessors(std::span<const std::span<const Successor>> lists) {
  if (lists.empty()) return {};
  if (std::all_of(lists.begin(), lists.end(),
                  [&](std::span<const Successor> list) { return SameShape(list, lists[0]); })) {
    return SumOfOneShape(lists);
  }
  std::vector<Part> parts;
  for (const std::span<const Successor> list : lists) AppendParts(list, parts);
  std::sort(parts.begin(), parts.end(), PartLess);
  std::vector<Successor> sum;
  int64_t index = -1;
  const Part* last = nullptr;
  for (const Part& part : parts) {
    const bool same_outcome = last != nullptr && last->outcome == part.outcome;
    if (same_outcome && last->k == part.k) {
      sum.back().count = SaturatingAdd(sum.back().count, part.count);
      continue;
    }
    if (!same_outcome) ++index;
    sum.push_back({part.k == 0 ? part.outcome.bci : kRepeatedSuccessorBci, index, part.count});
    last = &part;
  }
  return sum;
}

}  // namespace iprof
