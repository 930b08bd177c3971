// ExactCalls: puts the calls of methods that the agent counts itself into a harvested program.
//
// Why: with source=both, calls of all other methods are estimated from the flow of the whole
// program. Methods with exact counts are part of that flow. They pass on what they were really
// called, so estimated and exact counts are on one scale.
//
// Guarantees: pure. Of classes with the same name the one that HotSpot counted most (names_in_profile.h)
// has all their calls, so that none counts twice, and the others have none.
// Threads: any. Failure: std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "agent/harvest/harvested_program.h"
#include "writer/profile/model.h"

namespace iprof::vm {

// Marks the methods of the classes that `is_counted` names (with slashes), with their calls in
// `counted`; a method without calls there has none. `classes` are the ClassesOf both. Returns how many of
// the methods ran.
uint64_t SetExactCalls(const Profile& counted, std::span<const uint32_t> classes,
                       const std::function<bool(std::string_view)>& is_counted,
                       hotspot::HarvestedProgram& program);

}  // namespace iprof::vm
