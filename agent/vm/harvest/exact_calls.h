// ExactCalls: puts the calls of methods that the agent counts itself into a harvested program.
//
// Why: with source=both, calls of all other methods are estimated from the flow of the whole
// program. Methods with exact counts are part of that flow. They pass on what they were really
// called, so estimated and exact counts are on one scale.
//
// Guarantees: pure. Of classes with the same name the first one that was defined has all their calls, so
// that none counts twice, and the others have none. Threads: any. Failure: std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "agent/hotspot/harvest/harvested_program.h"
#include "writer/model/model.h"

namespace iprof::vm {

// Marks the methods of the classes that `is_counted` names (with slashes), with their calls in
// `counted`; a method without calls there has none. Returns how many of them ran.
uint64_t SetExactCalls(const Profile& counted,
                       const std::function<bool(std::string_view)>& is_counted,
                       hotspot::HarvestedProgram& program);

}  // namespace iprof::vm
