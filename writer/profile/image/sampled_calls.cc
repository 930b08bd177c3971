#include "writer/profile/image/sampled_calls.h"

#include <deque>
#include <map>
#include <span>
#include <utility>

namespace iprof {
namespace {

// Where a site is in a stack. There can be millions.
struct Occurrence {
  uint32_t stack;
  uint32_t at;
};
using Occurrences = std::vector<Occurrence>;

uint64_t KeyOf(Frame frame) {
  return (uint64_t{static_cast<uint32_t>(frame.method)} << 32) | static_cast<uint32_t>(frame.bci);
}
// After a stack's last frame. No real position has this key, because bytecode positions are below 65,536.
constexpr uint64_t kBottom = UINT64_MAX;

int64_t WeightOf(const std::vector<StackView>& stacks) {
  int64_t sum = 0;
  for (const StackView& stack : stacks) sum = SaturatingAdd(sum, stack.weight);
  return sum;
}

class Search {
 public:
  Search(const std::vector<StackView>& stacks, const std::function<bool(const HotCall&)>& visit)
      : stacks_(stacks), visit_(visit), total_(WeightOf(stacks)) {}

  // The occurrences of one site, ordered by stack. Returns the steps.
  size_t Run(Frame site, Occurrences all) const {
    size_t steps = 0;
    std::deque<Group> groups;
    groups.push_back({{{site}, false, {}}, std::move(all)});
    while (!groups.empty()) {
      Group group = std::move(groups.front());
      groups.pop_front();
      steps += group.occurrences.size();
      if (!IsHot(group.occurrences)) continue;
      group.call.callees = CalleesOf(group.occurrences);
      if (group.call.callees.empty()) continue;  // longer chains have none, either
      if (!visit_(group.call)) break;
      if (!group.call.to_bottom && group.call.chain.size() < kLongestChain) Extend(group, groups);
    }
    return steps;
  }

 private:
  struct Group {
    HotCall call;
    Occurrences occurrences;
  };

  bool IsHot(const Occurrences& occurrences) const {
    int64_t weight = 0;
    const Occurrence* last = nullptr;
    for (const Occurrence& one : occurrences) {
      if (last == nullptr || one.stack != last->stack)
        weight = SaturatingAdd(weight, stacks_[one.stack].weight);
      last = &one;
    }
    return SaturatingMultiply(weight, kHotOneIn) >= total_;
  }

  std::set<MethodIndex> CalleesOf(const Occurrences& occurrences) const {
    std::set<MethodIndex> callees;
    MethodIndex last = kNoMethod;  // recursion repeats it
    for (const auto& [stack, at] : occurrences) {
      if (at == 0) continue;
      const MethodIndex callee = stacks_[stack].frames[at - 1].method;
      if (callees.empty() || callee != last) callees.insert(callee);
      last = callee;
    }
    return callees;
  }

  // Adds the chains with one more caller.
  void Extend(const Group& group, std::deque<Group>& groups) const {
    std::map<uint64_t, Occurrences> by_caller;
    auto last = by_caller.end();  // recursion repeats it
    for (const Occurrence& one : group.occurrences) {
      const std::span<const Frame> frames = stacks_[one.stack].frames;
      const size_t caller = one.at + group.call.chain.size();
      const uint64_t key = caller < frames.size() ? KeyOf(frames[caller]) : kBottom;
      if (last == by_caller.end() || last->first != key) last = by_caller.try_emplace(key).first;
      last->second.push_back(one);
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

  const std::vector<StackView>& stacks_;
  const std::function<bool(const HotCall&)>& visit_;
  const int64_t total_;
};

}  // namespace

size_t VisitHotCalls(const std::vector<StackView>& stacks,
                     const std::function<bool(Frame site)>& is_site,
                     const std::function<bool(const HotCall& call)>& visit) {
  std::map<uint64_t, Occurrences> sites;
  for (size_t stack = 0; stack < stacks.size(); ++stack) {
    const std::span<const Frame> frames = stacks[stack].frames;
    for (size_t at = 0; at < frames.size(); ++at) {
      if (is_site(frames[at]))
        sites[KeyOf(frames[at])].push_back(
            {static_cast<uint32_t>(stack), static_cast<uint32_t>(at)});
    }
  }
  size_t steps = 0;
  const Search search(stacks, visit);
  for (auto& [key, occurrences] : sites) {
    const Occurrence& one = occurrences.front();
    const Frame site = stacks[one.stack].frames[one.at];
    steps += search.Run(site, std::move(occurrences));
  }
  return steps;
}

}  // namespace iprof
