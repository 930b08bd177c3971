// WeightsFile: reads the profile of weights=.
//
// Why limits: the JVM waits for it at its start. A profile of 3 MB takes some 30 ms.
//
// Guarantees: nothing of the profile remains but its branches. Threads: any. Failure: a Status whose
// message names the option and the file: it cannot be read, is no profile, or is too large.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agent/plan/weights/profile_weights.h"
#include "writer/base/status.h"

namespace iprof::vm {

// Of the text, which may be compressed. Larger than any profile that we have seen.
inline constexpr uint64_t kMostWeightsBytes = uint64_t{64} << 20;

Result<std::unique_ptr<const instrument::ProfileWeights>> ReadWeights(
    const std::string& path, uint64_t most_bytes = kMostWeightsBytes);

}  // namespace iprof::vm
