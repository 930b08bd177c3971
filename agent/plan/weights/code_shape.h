// CodeShape: a hash of a method's instructions and of where its branches go, without the numbers of
// constants. It is the same in every build of a JDK that has the same code at the same positions.
//
// Guarantees: the same instructions give the same hash in every build of the agent, because shipped
// weights are found by it. What the constants are is not part of it. Threads: any; pure. Failure: none
// but std::bad_alloc.
#pragma once

#include <cstdint>

#include "agent/classfile/code.h"

namespace iprof::instrument {

uint32_t HashOfShape(const classfile::MethodCode& code);

}  // namespace iprof::instrument
