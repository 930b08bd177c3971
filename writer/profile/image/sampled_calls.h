// HotCalls: the calls at which an image build dispatches to the methods that were sampled there.
//
// A build calls a context hot from 5 % of the samples. In hot contexts it takes the callees that were sampled under a
// call, without a minimum. A context is a chain of frames as inlining makes it: the call's own frame alone, or with some of its
// callers, or with all of them to the bottom of the stack. Its weight is that of all stacks in which it occurs.
// Example: of 100 samples, 60 are in Slow.run, called by Loop.step at 7. The chain "Loop.step:7" is hot, and Slow.run its callee.
//
// Guarantees: a stack counts once for a chain, however often recursion repeats it. All hot chains of the sites with a callee
// are visited, up to kLongestChain, shorter ones first at each site. Takes time for hot sites only, at most kLongestChain steps
// for each of their frames.
// Threads: any; pure functions. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "writer/profile/io/split_part.h"
#include "writer/profile/model.h"

namespace iprof {

// A context is hot if it has one in so many samples: 5 %.
inline constexpr int64_t kHotOneIn = 20;

// Compilers do not inline so deep (HotSpot's: 15 calls), and without a bound deep recursion would take its depth squared. The
// bottom of a stack counts as a frame.
inline constexpr size_t kLongestChain = 32;

struct HotCall {
  std::vector<Frame> chain;  // the call's frame first
  bool to_bottom = false;    // only where the chain's last frame is the stack's last
  std::set<MethodIndex> callees;
  bool operator==(const HotCall&) const = default;
};

// Calls visit(call) for the hot calls at sites for which is_site holds. If visit returns false, the site's other chains are
// left out. Returns the number of steps: at each, one frame of a stack was compared with a chain.
size_t VisitHotCalls(const std::vector<StackView>& stacks,
                     const std::function<bool(Frame site)>& is_site,
                     const std::function<bool(const HotCall& call)>& visit);

}  // namespace iprof
