// SameRun: finds inputs of a merge that are of one run, which would be counted twice: a raw file and a profile that
// was dumped before the JVM was killed, or two copies of a file.
//
// Two raw files are of one run if their headers have the same process and start, unless their provenance says that there was a
// reset between them. Otherwise, inputs are if their provenance has a run with the same start (to the millisecond), program,
// JVM and options; unless both are raw files, that may be chance if they do not have the same name (app.iraw, app.1.iprof).
//
// Guarantees, for what was found in one folder:
//  - Of the raw files of a run, the newest is taken.
//  - Beside profiles of its name, that is the newest of those that are newer than these and have lost no more counts; if there is
//    none, all are left out. Otherwise these profiles are, but for one that has further runs.
//  - Two profiles are both taken, and so is what the user named, also more than once, and what may be of one run by chance. The user is
//    told.
//  - A name is without the numbers of up to four digits that the agent adds where a name is taken, but with the process's own number.
//  - Where the run of a raw file or of a profile of its name is not known (provenance=n), the raw file is left out,
//    unless another file was left out for it.
// Threads: any; pure. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/raw_input.h"
#include "writer/ops/input_runs.h"

namespace iprof::cli {

struct RunInput {
  std::string path;
  bool is_found = false;          // in a folder
  std::optional<RawRunId> raw{};  // of a raw file
};

struct SameRuns {
  struct LeftOut {
    size_t input;
    std::string why;
  };
  std::vector<LeftOut> left_out;
  std::vector<std::string> warnings;  // of what is counted twice
};

// `runs` has an element for each input.
SameRuns FindSameRuns(std::span<const RunInput> inputs, std::span<const InputRuns> runs);

struct BetterProfile {
  size_t raw;  // a raw file of the same run
  std::string_view
      why;  // "is newer", "is as new", "has fewer losses" or "has further runs"; a literal
};

// Whether a profile has what one that is recovered from these raw files would lack: it has a run of one of them, and by the rules
// above would be taken instead of it. One that was recovered from the same snapshot is no better. nullopt also if runs are not known.
std::optional<BetterProfile> FindBetter(const InputRuns& profile, std::span<const InputRuns> raws);

}  // namespace iprof::cli
