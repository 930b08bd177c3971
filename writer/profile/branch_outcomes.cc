#include "writer/profile/branch_outcomes.h"

#include <algorithm>
#include <map>

namespace iprof {
namespace {

std::vector<Successor> SumOfOneShape(std::span<const std::span<const Successor>> lists) {
  std::vector<Successor> sum(lists[0].begin(), lists[0].end());
  for (const std::span<const Successor> list : lists.subspan(1)) {
    for (size_t i = 0; i < sum.size(); ++i) {
      sum[i].count = SaturatingAdd(sum[i].count, list[i].count);
    }
  }
  return sum;
}

// Whether each triple is an outcome of its own, named by its bci. Only of short lists, because it compares
// each with each.
bool IsOneTripleEach(std::span<const Successor> list) {
  constexpr size_t kLongest = 8;
  if (list.size() > kLongest) return false;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].bci == kRepeatedSuccessorBci) return false;
    for (const Successor& other : list.subspan(0, i)) {
      if (other.bci == list[i].bci || other.index == list[i].index) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<int64_t> OutcomesOf(std::span<const Successor> list) {
  std::map<int64_t, int64_t> taken_index;  // by bci: the last index with this bci
  for (const Successor& s : list) taken_index[s.bci] = s.index;

  struct Name {
    int64_t bci = kRepeatedSuccessorBci;
    bool is_taken = false;
  };
  std::map<int64_t, Name> names;  // by index
  for (const Successor& s : list) {
    Name& name = names[s.index];
    if (s.bci == kRepeatedSuccessorBci || name.is_taken) continue;
    name.is_taken = taken_index[s.bci] == s.index;
    if (name.is_taken || name.bci == kRepeatedSuccessorBci) name.bci = s.bci;
  }

  std::vector<int64_t> outcomes;
  outcomes.reserve(list.size());
  for (const Successor& s : list) outcomes.push_back(names[s.index].bci);
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
  std::map<int64_t, int64_t> counts;  // by bci
  for (const std::span<const Successor> list : lists) {
    const std::vector<int64_t> outcomes = OutcomesOf(list);
    for (size_t i = 0; i < list.size(); ++i) {
      int64_t& count = counts[outcomes[i]];
      count = SaturatingAdd(count, list[i].count);
    }
  }
  std::vector<Successor> sum;
  for (const auto& [bci, count] : counts) sum.push_back({bci, std::ssize(sum), count});
  return sum;
}

std::vector<Successor> OneTripleEach(std::span<const Successor> list) {
  std::vector<Successor> made;
  OneTripleEach(list, &made);
  return made;
}

void OneTripleEach(std::span<const Successor> list, std::vector<Successor>* made) {
  if (IsOneTripleEach(list)) {
    made->assign(list.begin(), list.end());
    for (size_t i = 0; i < made->size(); ++i) (*made)[i].index = static_cast<int64_t>(i);
    return;
  }
  const std::vector<int64_t> outcomes = OutcomesOf(list);
  std::map<int64_t, size_t> place;  // by bci
  made->clear();
  for (size_t i = 0; i < list.size(); ++i) {
    const auto [at, is_new] = place.emplace(outcomes[i], made->size());
    if (is_new) made->push_back({outcomes[i], std::ssize(*made), 0});
    int64_t& count = (*made)[at->second].count;
    count = SaturatingAdd(count, list[i].count);
  }
}

}  // namespace iprof
