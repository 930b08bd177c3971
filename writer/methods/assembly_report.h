// AssemblyReport: an AssemblyResult as readable lines of text.
//
// Each line ends with a line feed. Events that did not happen have no line.
//
// Guarantees: pure. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <string>

#include "writer/methods/profile_assembly.h"

namespace iprof {

// How exact the counts are, and which branches and positions were left out.
std::string DescribeCounts(const AssemblyResult& result);

// Sites at which classes were counted. `max_lost` comes from the AssemblyOptions.
std::string DescribeSites(const AssemblyResult& result, double max_lost);

// What was left out because methods are long, and records that could not be read.
std::string DescribeLeftOut(const AssemblyResult& result);

}  // namespace iprof
