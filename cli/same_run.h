// SameRun: finds inputs of a merge that are of one run, which would be counted twice: a raw file
// and a profile that was dumped before the JVM was killed, or two copies of a file.
//
// Two raw files are of one run if their headers have the same process and start, unless their
// provenance says that there was a reset between them. Other inputs are of one run if their
// provenance has a run with the same start (to the millisecond), program, JVM and options. That may
// be chance if they do not have the same name (app.iraw, app.1.iprof).
//
// A partial profile (app.iprof.partial) in a folder counts as a raw file of a process of its own.
//
// A snapshot has all that an older one of its run has, also if the raw file was full meanwhile.
// Only damage takes something away. But a full file lacks counts that a dump may have.
//
// Guarantees, for what was found in one folder:
//  - Of the raw files of a run, the newest is taken.
//  - Beside profiles of its name, a raw file is taken only if it is newer than they are and lacks
//    no counts that they may have. Then these profiles are left out, but for one that has further
//    runs. If there is no such raw file, all raw files of the run are left out.
//  - Of profiles of one name that were recovered from raw files of a run, the newest is taken.
//  - Other profiles are all taken. So is what the user named, also more than once, and what may be
//    of one run by chance. The user is told.
//  - A name is without the numbers of up to four digits that the agent adds where a name is taken,
//    but with the process's own number.
//  - Where the run of a raw file or of a profile of its name is not known (provenance=n), the raw
//    file is left out, unless another file was left out for it.
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
  // "is newer", "is as new", "has fewer losses" or "has further runs"; a literal
  std::string_view why;
};

// Whether a profile has what one that is recovered from these raw files would lack: it has a run of
// one of them, and by the rules above would be taken instead of it. Of several raw files with that
// run, nobody knows which is the profile's: it must be better than each. One that was recovered
// from the same snapshot is no better. nullopt also if runs are not known.
std::optional<BetterProfile> FindBetter(const InputRuns& profile, std::span<const InputRuns> raws);

// Whether a profile was recovered earlier from these raw files, or some of them, so that one that
// is recovered now has all of it.
bool IsEarlierResult(const InputRuns& profile, std::span<const InputRuns> raws);

}  // namespace iprof::cli
