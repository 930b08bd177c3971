// SampleReport: the statistics of sampling as text, for the profile's extra key and for the log.
//
// Guarantees: pure. Threads: any. Failure: none.
#pragma once

#include <cstdint>
#include <string>

#include "agent/sampling/sampler.h"
#include "agent/vm/sampling/stack_translation.h"
#include "writer/base/weight_scale.h"

namespace iprof::vm {

struct SampleFigures {
  sampling::SamplerOptions options;
  sampling::SampleStats stats;
  sampling::TraceTable::Usage usage;
  SampleWriteCounts written;  // to the profile
  uint64_t watched_cpu_ns = 0;
  sampling::IntervalFacts interval;
  int signal = 0;
  uint64_t classes_without_ids = 0;
  uint64_t other_threads = 0;  // whose names are not kept (ThreadNames)
};

// From weights of the sampler to those of a profile: if the interval adapts, they add up to the number of
// signals. Otherwise they stay.
WeightScale ScaleOf(const SampleFigures& figures);

// The part "sampling" of a profile's section "iprofagent".
std::string SampleStatisticsJson(const SampleFigures& figures);

// Lines, each with its line break: for a user how much was sampled and what went wrong; and the
// figures of the sampler.
std::string SampleSummary(const SampleFigures& figures);
std::string SampleReport(const SampleFigures& figures);

}  // namespace iprof::vm
