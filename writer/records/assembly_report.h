// AssemblyReport: an AssemblyResult as readable lines of text: for a user, and for those who look closer.
//
// Each line ends with a line feed. Events that did not happen have no line.
//
// Guarantees: pure. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <string>

#include "writer/records/profile_assembly.h"

namespace iprof {

// For a user: how exact the counts of the methods that ran are; empty if none ran.
std::string DescribeExactness(const AssemblyResult& result);

// For a user: what is known of the callers (contexts=calls).
std::string DescribeEdges(const EdgeFigures& edges);
// For a user: what stacks say of callers (contexts=all).
std::string DescribeContexts(const ContextFigures& contexts);
// For a user: what was left out, and why. `max_lost` comes from the AssemblyOptions.
std::string DescribeLeftOut(const AssemblyResult& result, double max_lost);

// How the counts came about.
std::string DescribeCounts(const AssemblyResult& result);

}  // namespace iprof
