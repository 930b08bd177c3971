#include "writer/image/sampled_calls.h"

#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

namespace iprof {
namespace {

// Where a site is in a stack.
struct Occurrence {
  size_t stack;
  size_t at;
};
using Occurrences = std::vector<Occurrence>;

uint64_t KeyOf(Frame frame) {
  return (uint64_t{static_cast<uint32_t>(frame.method)} << 32) | static_cast<uint32_t>(frame.bci);
}
// After a stack's last frame. No real position has this key, because bytecode positions are below 65,536.
constexpr uint64_t kBottom = UINT64_MAX;

class Search {
 public:
  Search(const std::vector<SampledStack>& stacks, const std::function<bool(const HotCall&)>& visit)
      : stacks_(stacks), visit_(visit), total_(WeightOf(stacks)) {}

  // The occurrences of one site, ordered by stack.
  void Run(Frame site, Occurrences all) const {
    std::deque<Group> groups;
    groups.push_back({{{site}, false, {}}, std::move(all)});
    while (!groups.empty()) {
      Group group = std::move(groups.front());
      groups.pop_front();
      if (!IsHot(group.occurrences)) continue;
      group.call.callees = CalleesOf(group.occurrences);
      if (group.call.callees.empty()) continue;  // longer chains have none, either
      if (!visit_(group.call)) return;
      if (!group.call.to_bottom) Extend(group, groups);
    }
  }

 private:
  struct Group {
    HotCall call;
    Occurrences occurrences;
  };

  bool IsHot(const Occurrences& occurrences) const {
    int64_t weight = 0;
    size_t last = SIZE_MAX;
    for (const Occurrence& one : occurrences) {
      if (one.stack != last) weight = SaturatingAdd(weight, stacks_[one.stack].weight);
      last = one.stack;
    }
    return SaturatingMultiply(weight, kHotOneIn) >= total_;
  }

  std::set<MethodIndex> CalleesOf(const Occurrences& occurrences) const {
    std::set<MethodIndex> callees;
    for (const auto& [stack, at] : occurrences) {
      if (at > 0) callees.insert(stacks_[stack].frames[at - 1].method);
    }
    return callees;
  }

  // Adds the chains with one more caller.
  void Extend(const Group& group, std::deque<Group>& groups) const {
    std::map<uint64_t, Occurrences> by_caller;
    for (const Occurrence& one : group.occurrences) {
      const std::vector<Frame>& frames = stacks_[one.stack].frames;
      const size_t caller = one.at + group.call.chain.size();
      by_caller[caller < frames.size() ? KeyOf(frames[caller]) : kBottom].push_back(one);
    }
    for (auto& [key, occurrences] : by_caller) {
      HotCall longer{group.call.chain, key == kBottom, {}};
      if (!longer.to_bottom) {
        const Occurrence& one = occurrences.front();
        longer.chain.push_back(stacks_[one.stack].frames[one.at + longer.chain.size()]);
      }
      groups.push_back({std::move(longer), std::move(occurrences)});
    }
  }

  const std::vector<SampledStack>& stacks_;
  const std::function<bool(const HotCall&)>& visit_;
  const int64_t total_;
};

}  // namespace

int64_t WeightOf(const std::vector<SampledStack>& stacks) {
  int64_t sum = 0;
  for (const SampledStack& stack : stacks) sum = SaturatingAdd(sum, stack.weight);
  return sum;
}

void VisitHotCalls(const std::vector<SampledStack>& stacks,
                   const std::function<bool(Frame site)>& is_site,
                   const std::function<bool(const HotCall& call)>& visit) {
  std::map<uint64_t, Occurrences> sites;
  for (size_t stack = 0; stack < stacks.size(); ++stack) {
    const std::vector<Frame>& frames = stacks[stack].frames;
    for (size_t at = 0; at < frames.size(); ++at) {
      if (is_site(frames[at])) sites[KeyOf(frames[at])].push_back({stack, at});
    }
  }
  const Search search(stacks, visit);
  for (auto& [key, occurrences] : sites) {
    const Occurrence& one = occurrences.front();
    const Frame site = stacks[one.stack].frames[one.at];
    search.Run(site, std::move(occurrences));
  }
}

}  // namespace iprof
