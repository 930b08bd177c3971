// ShownMethod: a method as profiles show it, "a.B.run(int, int[])void", from its record.
//
// Guarantees: the same text as Profile::DescribeMethod gives for it. Threads: any.
// Failure: what is no name or descriptor is shown as it is; throws std::bad_alloc.
#pragma once

#include <string>

#include "writer/methods/class_record.h"

namespace iprof {

std::string ShownMethod(const ClassRecord& c, const CountedMethod& m);

}  // namespace iprof
