// HarvestLimits: how much of a harvest may fail its checks.
//
// Guarantees: pure. A harvest is refused if more than 1 % of its MethodDatas or 0.1 % of their
// counts failed, or if there are none.
// Threads: any. Failure: a sentence without a subject, to be put behind "process 4711".
#pragma once

#include "agent/hotspot/harvest/harvested_program.h"
#include "writer/base/status.h"

namespace iprof::hotspot {

// `runs_without_profiling`: what the flags say about a JVM that has no MethodDatas.
Status CheckLimits(const HarvestCounts& counts, bool runs_without_profiling);

}  // namespace iprof::hotspot
