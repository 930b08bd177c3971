#include "writer/image/sample_split.h"

#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "writer/image/sampled_calls.h"
#include "writer/image/site_receivers.h"
#include "writer/io/agent_section.h"

namespace iprof {
namespace {

struct Precedes {
  bool operator()(const Frame& a, const Frame& b) const {
    return std::tie(a.method, a.bci) < std::tie(b.method, b.bci);
  }
};
using Sites = std::set<Frame, Precedes>;

// The outermost piece ends at the first call of a site, the innermost one begins behind the last. Empty: there is no call.
std::vector<StackPiece> PiecesOf(const std::vector<Frame>& frames, const Sites& sites) {
  std::vector<size_t> calls;
  for (size_t at = 1; at < frames.size(); ++at) {
    if (sites.contains(frames[at])) calls.push_back(at);
  }
  if (calls.empty()) return {};
  return {{0, calls.front()}, {calls.back(), frames.size()}};
}

// Of other programs' profiles it is not known.
bool HasExactReceivers(const Profile& profile) {
  const AgentSection section = AgentSection::Of(profile);
  return section.form() == AgentSection::Form::kReadable && !section.Part(kHarvestPart);
}

SplitPart SplitAt(const std::vector<SampledStack>& whole, const Sites& sites) {
  SplitPart split;
  split.sites = sites.size();
  for (const SampledStack& stack : whole) {
    std::vector<StackPiece> pieces = PiecesOf(stack.frames, sites);
    if (!pieces.empty()) split.stacks.push_back({stack, std::move(pieces)});
  }
  return split;
}

}  // namespace

SplitPart SplitSamples(const Profile& profile) {
  if (profile.entry_count(Table::kSamples) == 0 || !HasExactReceivers(profile)) return {};
  const SiteReceivers receivers = SiteReceivers::Of(profile);
  const std::vector<SampledStack> whole = StacksOf(profile);
  SplitPart split;
  Sites sites;
  // Pieces change which contexts are hot, so that other calls may disagree.
  for (size_t before = SIZE_MAX; before != sites.size();) {
    before = sites.size();
    const auto is_site = [&](Frame frame) {
      return receivers.Has(frame) && !sites.contains(frame);
    };
    std::vector<Frame> found;
    VisitHotCalls(WrittenStacks(whole, split), is_site, [&](const HotCall& call) {
      const bool agrees = receivers.Agrees(call.chain.front(), call.callees);
      if (!agrees) found.push_back(call.chain.front());
      return agrees;
    });
    sites.insert(found.begin(), found.end());
    split = SplitAt(whole, sites);
  }
  return split;
}

}  // namespace iprof
