// WriteProfileFacts: what a report says of a profile as a whole: the run, totals, the hot set, exactness, what was left out, and how
// much an image build can use. It is one member of "profiles" in report_data.h.
//
// Guarantees: only what the profile tells; a part that cannot be read is left out.
// Threads: any; a pure function. Failure: none but std::bad_alloc.
#pragma once

#include <string>

#include "writer/model/model.h"
#include "writer/report/data_json.h"

namespace iprof {

// Packages beyond these are only counted.
inline constexpr size_t kMostPackages = 20;

void WriteProfileFacts(const std::string& file, const Profile& profile, DataJson& json);

}  // namespace iprof
