// ProfileReport: what the user is told of each profile that is written, and which of it are warnings.
//
// Guarantees: pure; names no file. Threads: any. Failure: FindNothing returns a Status; otherwise none but
// std::bad_alloc.
#pragma once

#include <string>
#include <vector>

#include "agent/settings/options.h"
#include "writer/base/status.h"
#include "writer/profile/model.h"
#include "writer/records/profile_assembly.h"

namespace iprof::vm {

// Whether it has no entry in any table.
bool IsEmpty(const Profile& profile);

// Why this profile must not replace another one: it has nothing that was recorded, or nothing was
// counted because no pattern of include= matched a class (then its samples are not what the user is
// after). ok: it may be written. `unmatched`: of UnmatchedPatterns.
Status FindNothing(const Profile& profile, const Options& options,
                   const std::vector<std::string>& unmatched);

// "3,187 methods ran, 9,456 sites, 41 samples; counts exact but for races between threads".
// If methods lost their probes, it says how many are estimated, from the profile's note of estimates.
// `assembly`: null if the agent counts nothing itself.
std::string DescribeProfile(const Profile& profile, const Options& options,
                            const AssemblyResult* assembly);

// What was to be recorded and is not there, a sentence each: empty tables of the profile, and the
// patterns of UnmatchedPatterns.
std::vector<std::string> FindMissing(const Profile& profile, const Options& options,
                                     const std::vector<std::string>& unmatched);

// The patterns of include= that match no class of the profile, before anything is left out for an image
// build.
std::vector<std::string> UnmatchedPatterns(const Profile& all, const Options& options);

}  // namespace iprof::vm
