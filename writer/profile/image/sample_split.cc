#include "writer/profile/image/sample_split.h"

#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "writer/profile/image/sampled_calls.h"
#include "writer/profile/image/site_receivers.h"
#include "writer/profile/io/agent_section.h"

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
  size_t first = 0;
  size_t last = 0;
  for (size_t at = 1; at < frames.size(); ++at) {
    if (!sites.contains(frames[at])) continue;
    if (first == 0) first = at;
    last = at;
  }
  if (first == 0) return {};
  return {{0, first}, {last, frames.size()}};
}

// Of other programs' profiles it is not known.
bool HasExactReceivers(const Profile& profile) {
  const AgentSection section = AgentSection::Of(profile);
  return section.form() == AgentSection::Form::kReadable && !section.Part(kHarvestPart);
}

// What is written if stacks are cut at these sites. Equal pieces are not added up, which is the same for calls.
std::vector<StackView> PiecesAt(const std::vector<SampledStack>& whole, const Sites& sites) {
  std::vector<StackView> written;
  for (const SampledStack& stack : whole) {
    if (stack.weight == 0) continue;
    const std::vector<StackPiece> pieces = PiecesOf(stack.frames, sites);
    if (pieces.empty()) written.push_back(ViewOf(stack));
    for (const StackPiece& piece : pieces) written.push_back(ViewOf(stack, piece));
  }
  return written;
}

SplitPart SplitAt(std::vector<SampledStack> whole, const Sites& sites) {
  SplitPart split;
  split.sites = sites.size();
  for (SampledStack& stack : whole) {
    std::vector<StackPiece> pieces = PiecesOf(stack.frames, sites);
    if (!pieces.empty()) split.stacks.push_back({std::move(stack), std::move(pieces)});
  }
  return split;
}

}  // namespace

SplitPart SplitSamples(const Profile& profile) {
  if (profile.entry_count(Table::kSamples) == 0 || !HasExactReceivers(profile)) return {};
  const SiteReceivers receivers = SiteReceivers::Of(profile);
  std::vector<SampledStack> whole = StacksOf(profile);
  Sites sites;
  // Pieces change which contexts are hot, so that other calls may disagree.
  for (size_t before = SIZE_MAX; before != sites.size();) {
    before = sites.size();
    const auto is_site = [&](Frame frame) {
      return receivers.Matters(frame) && !sites.contains(frame);
    };
    std::vector<Frame> found;
    VisitHotCalls(PiecesAt(whole, sites), is_site, [&](const HotCall& call) {
      const bool agrees = receivers.Agrees(call.chain.front(), call.callees);
      if (!agrees) found.push_back(call.chain.front());
      return agrees;
    });
    sites.insert(found.begin(), found.end());
  }
  return SplitAt(std::move(whole), sites);
}

void AddSplitPart(Profile& profile) {
  const SplitPart split = SplitSamples(profile);
  if (!split.stacks.empty()) SetAgentPart(profile, kSplitPart, split.ToJson(profile));
}

}  // namespace iprof
