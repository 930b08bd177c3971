// SamplingProfile: from raw stacks to a profile's samplingProfiles, as StackTranslation translates
// them. Equal contexts are added up. The source lines of their frames, if known, become notes of
// the profile (Profile::notes). Weights are scaled, and a stack of which nothing is left is not written.
//
// Guarantees: knows no JVM, so it is tested without one. Threads: any normal thread, one at a time.
// Failure: what is left out is counted in SampleWriteCounts.
#pragma once

#include <span>

#include "agent/sampling/core/trace_table.h"
#include "agent/vm/sampling/stack_translation.h"
#include "writer/base/weight_scale.h"
#include "writer/model/model.h"

namespace iprof::vm {

SampleWriteCounts AddSamples(std::span<const sampling::TraceView> traces,
                             const SampleLookup& lookup, Profile& profile, WeightScale scale = {});

}  // namespace iprof::vm
