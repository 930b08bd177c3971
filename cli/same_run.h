// SameRun: finds inputs of a merge that are of one run, which would be counted twice: a raw file and a profile that
// was dumped before the JVM was killed, or two copies of a file.
//
// Two raw files are of one run if their headers have the same process and start. Otherwise, inputs are if their
// provenance has a run with the same start (to the millisecond), program, JVM and options.
//
// Guarantees: of the inputs that were found in one folder, the newest of a run is taken: raw files that are older than it are
// left out, and if it is a raw file, profiles are, too. Two profiles are both taken, and so is what the user
// named and what has further runs; the user is told. If a raw file is beside the profile of its name, and the run of one of them is
// not known (provenance=n), the raw file is left out.
// Threads: any; pure. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
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

}  // namespace iprof::cli
