// The inputs of a merge, from arguments, weights, lists and folders.
//
// Guarantees: order is arguments, weighted, lists, folders (each sorted by path); a folder's own
// output file is left out, so that repeating a merge into the folder does not count its result.
// Fails with kUsage for a malformed weight or no input at all, kIo for a list or folder that cannot
// be read.
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

// "3,a.iprof"; the weight is 1 or more.
Result<MergeInput> ParseWeighted(const std::string& text);

}  // namespace iprof::cli
