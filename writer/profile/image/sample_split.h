// SplitSamples: which stacks to write in pieces, because an image build cannot follow some frames (image_use.h), and so that
// it does not prefer stray samples to exact receivers.
//
// A profile whose note says that it was filtered has its stacks cut, and so has a merge with such a profile. Example: Main.main calls Task.run by reflection. Its
// stack "Task.run:3 < DirectMethodHandleAccessor.invoke:40 < Main.main:5" is written as "Task.run:3", because the image has
// no such accessor.
//
// A build looks at the classes that were counted at a call only where it finds no sampled callee (sampled_calls.h). So one
// sample in a rare class's method beats millions of calls of another class that is too short to be sampled. Where the sampled
// callees of a hot call do not agree with its receivers (site_receivers.h), each stack through that site is cut there.
// Example: Slow.run was sampled under Loop.step:7, and 95 % of the receivers there are Quick. The stack
//   Slow.sum:4 < Slow.run:31 < Loop.step:7 < Main.main:5
// is written as "Slow.sum:4 < Slow.run:31" and "Loop.step:7 < Main.main:5", each with the stack's weight: both stay hot.
// Of a stack with several such calls, only the pieces at its two ends are written: the rest would multiply the total, of which
// a context must have 5 % to be hot (docs/lab/sampling.md). The written total is larger than the number of signals all the same:
// here it doubles, so of 300 signals a build that ignores fewer than 500 samples sees 600.
// Calls that ran fewer than kFewestCalls times are not looked at: nothing depends on how they are dispatched, and a stack that
// is cut at Thread.run loses its bottom for nothing.
//
// Which threads the samples are of (sample_threads.h) makes no difference to what a build is given.
//
// Guarantees: in what is written (WrittenStacks), no hot call at a site that matters has sampled callees that disagree, in any
// context of up to kLongestChain frames.
// Pure: the profile stays whole, and a split of what was read gives the same. Not split at calls are harvests and merges
// with them: their receivers are estimates, and samples of the same run know more. Nor are profiles without our section
// (agent_section.h), as of instrumented images: they are written as they were read. Records with callers are not looked at.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "writer/profile/image/image_use.h"
#include "writer/profile/io/split_part.h"
#include "writer/profile/model.h"

namespace iprof {

SplitPart SplitSamples(const Profile& profile);

// What a build is given of each sample, by EntryIndex, before stacks are cut at calls: the frames [first, last). All frames
// if the profile says that nothing is to be cut.
std::vector<StackCut> CutsOfSamples(const Profile& profile);
// The weight of the samples of which a build is given something. In the example of a reflective call all, of a class that is
// being loaded none.
int64_t SamplesForBuild(const Profile& profile);

// Gives a profile that was not read from its file the part that it would then have.
void AddSplitPart(Profile& profile);

// Whether the stacks are those that were sampled. Not so in filtered files of builds that cut them before they were written,
// and in merges with such files.
bool HasWholeStacks(const Profile& profile);
// What to say of others.
inline constexpr std::string_view kCutStacks =
    "they end where an image build cannot follow, because an earlier build wrote the file: some "
    "begin in the middle, and totals with callees are too small";

}  // namespace iprof
