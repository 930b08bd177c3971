#include "writer/ops/dispatches.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "writer/ops/merge_mapping.h"
#include "writer/ops/summary.h"
#include "writer/profile/image/sampled_calls.h"
#include "writer/profile/image/site_receivers.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/split_part.h"

namespace iprof {
namespace {

using Callees = std::set<MethodIndex>;

// A chain of frames. Shorter ones come first.
struct Chain {
  std::vector<Frame> frames;
  bool to_bottom = false;

  bool operator<(const Chain& other) const {
    const auto size = frames.size() + (to_bottom ? 1 : 0);
    const auto other_size = other.frames.size() + (other.to_bottom ? 1 : 0);
    if (size != other_size) return size < other_size;
    return std::lexicographical_compare(frames.begin(), frames.end(), other.frames.begin(),
                                        other.frames.end(), [](const Frame& a, const Frame& b) {
                                          return std::tie(a.method, a.bci) <
                                                 std::tie(b.method, b.bci);
                                        });
  }
};
using HotCalls = std::map<Chain, Callees>;

// What a build reads from one profile, in terms of the united profile.
class Build {
 public:
  Build(const Profile& profile, Profile& united)
      : mapping_(MapInto(profile, united)), stacks_(Mapped(profile)), receivers_(united) {
    for (const EntryIndex entry : EntriesOf(profile, Table::kVirtualInvokes)) {
      const ContextIndex context = profile.EntryContext(Table::kVirtualInvokes, entry);
      std::vector<TypeCount> counts;
      for (const TypeCount& count : profile.EntryTypeCounts(Table::kVirtualInvokes, entry))
        counts.push_back({mapping_(count.type), count.count});
      pairs_.emplace_back(Map(profile.InnermostFrame(context)), std::move(counts));
    }
  }

  // Once the united profile has the methods of all.
  void Finish() {
    for (const auto& [site, counts] : pairs_) receivers_.Add(site, counts);
  }

  const SiteReceivers& receivers() const { return receivers_; }

  HotCalls CallsAt(const SiteReceivers& sites) const {
    HotCalls calls;
    std::vector<StackView> views;
    for (const SampledStack& stack : stacks_) views.push_back(ViewOf(stack));
    VisitHotCalls(
        views, [&](Frame site) { return sites.Matters(site); },
        [&](const HotCall& call) {
          calls.emplace(Chain{call.chain, call.to_bottom}, call.callees);
          return true;
        });
    return calls;
  }

 private:
  Frame Map(Frame frame) const { return {mapping_(frame.method), frame.bci}; }

  std::vector<SampledStack> Mapped(const Profile& profile) const {
    const std::vector<SampledStack> whole = StacksOf(profile);
    const SplitPart split = SplitPart::Of(profile);
    std::vector<SampledStack> stacks;
    for (const StackView& written : WrittenStacks(whole, split)) {
      SampledStack& stack = stacks.emplace_back();
      stack.weight = written.weight;
      for (size_t i = 0; i < written.frames.size(); ++i) stack.frames.push_back(Map(written.At(i)));
    }
    return stacks;
  }

  IndexMapping mapping_;
  std::vector<SampledStack> stacks_;
  std::vector<std::pair<Frame, std::vector<TypeCount>>> pairs_;
  SiteReceivers receivers_;
};

class Comparison {
 public:
  Comparison(const Profile& united, const Build& a, const Build& b)
      : united_(united),
        a_(a.receivers()),
        b_(b.receivers()),
        hot_a_(a.CallsAt(a_)),
        hot_b_(b.CallsAt(a_)) {}

  DispatchComparison Run() {
    DispatchComparison result;
    std::set<Chain> chains;
    a_.ForEachSite([&](Frame site) {
      if (!a_.Matters(site)) return;
      ++result.sites;
      chains.insert({{site}, false});
    });
    for (const auto& [chain, callees] : hot_a_) chains.insert(chain);
    for (const auto& [chain, callees] : hot_b_) chains.insert(chain);
    std::set<Chain> listed;  // sites
    for (const Chain& chain : chains) {
      const Chain site{{chain.frames.front()}, false};
      if (listed.contains(site) || IsSame(chain)) continue;
      listed.insert(site);
      result.differing.push_back(Describe(chain));
    }
    result.by_samples_a = SitesOf(hot_a_);
    result.by_samples_b = SitesOf(hot_b_);
    std::stable_sort(result.differing.begin(), result.differing.end(),
                     [](const auto& x, const auto& y) {
                       return std::tuple(-x.calls, x.context) < std::tuple(-y.calls, y.context);
                     });
    return result;
  }

 private:
  static const Callees* Find(const HotCalls& calls, const Chain& chain) {
    const auto found = calls.find(chain);
    return found == calls.end() ? nullptr : &found->second;
  }

  static size_t SitesOf(const HotCalls& calls) {
    std::set<Chain> sites;
    for (const auto& [chain, callees] : calls) sites.insert({{chain.frames.front()}, false});
    return sites.size();
  }

  static bool AgreesWith(const SiteReceivers& receivers, Frame site, const Callees& callees) {
    return receivers.Has(site) && receivers.Agrees(site, callees);
  }

  bool IsSame(const Chain& chain) const {
    const Frame site = chain.frames.front();
    const Callees* const in_a = Find(hot_a_, chain);
    const Callees* const in_b = Find(hot_b_, chain);
    if (in_a != nullptr && in_b != nullptr) return *in_a == *in_b;
    if (in_a != nullptr) return AgreesWith(b_, site, *in_a);
    if (in_b != nullptr) return AgreesWith(a_, site, *in_b);
    return a_.Selected(site) == b_.Selected(site);
  }

  Dispatch DispatchOf(const SiteReceivers& receivers, const HotCalls& hot,
                      const Chain& chain) const {
    Dispatch dispatch;
    if (const Callees* const callees = Find(hot, chain)) {
      dispatch.by = DispatchReason::kSamples;
      for (const MethodIndex callee : *callees)
        dispatch.targets.push_back(united_.DescribeMethod(callee));
    } else {
      const std::set<TypeIndex> selected = receivers.Selected(chain.frames.front());
      if (!selected.empty()) dispatch.by = DispatchReason::kReceivers;
      for (const TypeIndex type : selected) dispatch.targets.emplace_back(united_.TypeName(type));
    }
    std::sort(dispatch.targets.begin(), dispatch.targets.end());
    return dispatch;
  }

  DispatchDifference Describe(const Chain& chain) const {
    DispatchDifference difference;
    difference.method = chain.frames.front().method;
    for (const Frame& frame : chain.frames) {
      if (!difference.context.empty()) difference.context += " < ";
      difference.context += united_.DescribeMethod(frame.method) + ':' + std::to_string(frame.bci);
    }
    difference.calls = a_.Calls(chain.frames.front());
    difference.a = DispatchOf(a_, hot_a_, chain);
    difference.b = DispatchOf(b_, hot_b_, chain);
    return difference;
  }

  const Profile& united_;
  const SiteReceivers& a_;
  const SiteReceivers& b_;
  HotCalls hot_a_;
  HotCalls hot_b_;
};

}  // namespace

DispatchComparison CompareDispatches(const Profile& a, const Profile& b) {
  Profile united;  // the methods of A have the indices that they have there
  Build in_a(a, united);
  Build in_b(b, united);
  in_a.Finish();
  in_b.Finish();
  DispatchComparison comparison = Comparison(united, in_a, in_b).Run();
  comparison.exact = !HarvestNote::Of(a).has_value();
  return comparison;
}

std::string_view NameOf(DispatchReason reason) {
  switch (reason) {
    case DispatchReason::kNothing:
      return "nothing";
    case DispatchReason::kReceivers:
      return "receivers";
    case DispatchReason::kSamples:
      return "samples";
  }
  return "";
}

}  // namespace iprof
