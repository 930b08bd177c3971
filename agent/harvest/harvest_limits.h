// HarvestLimits: how much of a harvest may fail its checks.
//
// Guarantees: pure. A harvest is refused if more than 1 % of its MethodDatas or 0.1 % of their
// counts failed, or if there are none.
// Threads: any. Failure: a sentence without a subject, to be put behind "process 4711". kNothingYet: HotSpot has begun
// to count again from 0, because the classes were changed.
#pragma once

#include <string_view>

#include "agent/harvest/harvested_program.h"
#include "writer/base/status.h"

namespace iprof::hotspot {

// `without_profiling`: the option because of which the JVM may have no MethodDatas, or an empty text.
Status CheckLimits(const HarvestCounts& counts, std::string_view without_profiling);

}  // namespace iprof::hotspot
