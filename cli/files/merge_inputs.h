// The inputs of a merge, from arguments, weights, lists and folders. Of a folder, profiles and raw files are taken
// (app.iprof, app.iprof.gz, app.iraw).
//
// Guarantees: the order is arguments, weighted inputs, lists, folders (each sorted by path). If the
// output file is in an input folder, it is left out, so that repeating a merge does not count its
// result. What folders have is taken once, also if folders overlap or have links to it, and not if it is named as well; what is
// named is taken as often as it is named. Only lists and folders are read.
// Threads: any; no global state.
// Failure: kUsage for a malformed weight, for a second '-', or if there is no input; kIo for a list
// or folder that cannot be read.
#pragma once

#include <string>
#include <vector>

#include "writer/base/status.h"
#include "writer/ops/merge.h"

namespace iprof::cli {

struct MergeSources {
  std::vector<std::string> files;
  std::vector<std::string> weighted;  // "N,FILE"
  std::vector<std::string> lists;
  std::vector<std::string> folders;
};

Result<std::vector<MergeInput>> GatherInputs(const MergeSources& sources,
                                             const std::string& output);

// Parses "3,a.iprof"; the weight is at least 1.
Result<MergeInput> ParseWeighted(const std::string& text);

}  // namespace iprof::cli
