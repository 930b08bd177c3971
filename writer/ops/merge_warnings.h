// WarningsOf: what the user should know of a merge whose inputs do not quite fit together, one sentence each.
//
// Guarantees: no sentence for inputs of one kind, one program, one version of it and one image build. Names of methods and keys
// are as in the inputs: whoever prints them to a terminal escapes them.
// Threads: any; pure. Failure: none but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "writer/ops/merge.h"
#include "writer/ops/method_versions.h"

namespace iprof {

// `preferred`: as in the merge. `if_scaled` ends the sentence about inputs of different kinds: what the user can do.
std::vector<std::string> WarningsOf(const MergeResult& merged, PreferredVersion preferred,
                                    std::string_view if_scaled = {});

// Methods whose code differs: "a.B.run()void, a.C.run()void, ...".
std::string ExamplesOf(const VersionReport& versions);
// Methods whose code may differ: a sentence without its end.
std::string DescribeDoubtful(const VersionReport& versions);

}  // namespace iprof
