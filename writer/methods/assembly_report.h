// AssemblyReport: an AssemblyResult as lines of text, for people.
//
// Each line ends in a line end; nothing is said of what did not happen. Pure; any thread.
#pragma once

#include <string>

#include "writer/methods/profile_assembly.h"

namespace iprof {

// What the counts are worth, and which branches and positions were left out.
std::string DescribeCounts(const AssemblyResult& result);

// Sites at which classes were counted. `max_lost` is that of the AssemblyOptions.
std::string DescribeSites(const AssemblyResult& result, double max_lost);

// What was left out for the length of methods, and records that could not be read.
std::string DescribeLeftOut(const AssemblyResult& result);

}  // namespace iprof
