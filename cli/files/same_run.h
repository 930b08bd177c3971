// SameRun: finds inputs of a merge that are of one run (RunNote::run), which would be counted twice: a raw file and a
// profile that was dumped before the JVM was killed, two dumps, copies, a merge and one of its inputs.
//
// What is newer has all that is older, except: a snapshot (of a raw file, also if a profile was
// recovered from it) may lack counts that a dump before it has.
//
//   folder has app.iprof (dump of 12:00), app.iraw (snapshot of 12:05)   app.iprof is left out
//   the same, and the raw file is full                                   app.iraw is left out
//   folder has a.iprof, b.iprof and a merge of both                      a.iprof and b.iprof are left out
//
// Guarantees, with `found` for what is in folders:
//  - Of each run, the found input that is the newest and lacks no counts that an older dump has is taken. Of equally new
//    ones a dump is, or that with the fewest losses, or the first. What is taken for no run is left out.
//  - What the user named is all taken, and so is what does not say of all its runs which ones they are.
//  - The user is told what is counted twice for sure, and, once, what may be. So are harvests that may be of one JVM, whose
//    counters go on: by the program, the build of the JVM, and its start, which a harvest knows within 2 s.
// Threads: any; pure. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "writer/ops/input_runs.h"
#include "writer/ops/merge.h"

namespace iprof::cli {

struct SameRuns {
  struct LeftOut {
    size_t input;
    std::string why;
  };
  std::vector<LeftOut> left_out;
  std::vector<std::string> warnings;
};

// `runs` has an element for each input.
SameRuns FindSameRuns(std::span<const MergeInput> inputs, std::span<const InputRuns> runs);

struct BetterProfile {
  size_t raw;  // a raw file of the same run
  // "is newer", "is as new", "has fewer losses" or "has further runs"; a literal
  std::string_view why;
};

// Whether a profile has what one that is recovered from these raw files, all of different runs, would lack: it has a run
// of one of them, and more of it, or other runs. One that was recovered from the same snapshot is no better.
std::optional<BetterProfile> FindBetter(const InputRuns& profile, std::span<const InputRuns> raws);

// Whether a profile was recovered earlier from these raw files, or some of them, so that one that
// is recovered now has all of it.
bool IsEarlierResult(const InputRuns& profile, std::span<const InputRuns> raws);

}  // namespace iprof::cli
