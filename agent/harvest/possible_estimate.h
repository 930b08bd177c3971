// PossibleEstimate: an estimate that fits into the processor time that the program had used.
//
// How: no processor executes more than 8 calls and branches in a nanosecond (HarvestNote::CanHold). If an estimate has
// more, something ran away. To scale it down would keep its wrong shares. So the calls are estimated once more, and callers
// of which few entries were counted pass on only what was counted there (Growth::kOfMany). If that does not fit either, calls are
// as HotSpot counted them. If even these do not fit, the counters are not what they are taken for.
//
// Example: a program used 2 s, so it executed at most 16,160,000,000 calls and branches (the clock has steps of 10 ms, so that 2.02 s are possible). An
// estimate has 40,000,000,000. With Growth::kOfMany it has 310,000,000, and that is taken.
//
// Guarantees: pure. Threads: any. Failure: a sentence without a subject, to be put behind "process 4711"; std::bad_alloc.
#pragma once

#include <vector>

#include "agent/harvest/estimate.h"
#include "agent/harvest/harvest_profile.h"
#include "agent/harvest/harvested_program.h"
#include "writer/base/status.h"
#include "writer/profile/io/harvest_note.h"

namespace iprof::hotspot {

// For the note, of an estimate that fitted only with Growth::kOfMany.
inline constexpr char kBoundedEstimatorName[] = "flow-11-bounded";

// Completes the note, whose processor time is set, with what it says of the estimate.
Result<std::vector<MethodScale>> EstimatePossible(const HarvestedProgram& program,
                                                  HarvestNote& note);

// What the tool and the agent say where not the usual estimate was taken; otherwise empty.
std::string DescribeRefusal(const HarvestNote& note);

}  // namespace iprof::hotspot
