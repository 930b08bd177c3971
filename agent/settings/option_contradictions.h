// Option contradictions: options that are legal one by one, and not together: one rules the other out,
// or one has no effect because of the other.
//
// Guarantees: pure. Threads: any.
// Failure: a Status whose message is one sentence that names the options.
#pragma once

#include <functional>
#include <string_view>

#include "agent/settings/options.h"
#include "writer/base/status.h"

namespace iprof::vm {

// The complaint about a raw file with the place of another file.
inline constexpr std::string_view kRawNamesOther = "raw names the same file as another option";

// Which options the user wrote.
using WasGiven = std::function<bool(std::string_view name)>;

// Also checks the ranges of durations and sizes.
Status FindContradiction(const Options& options, const WasGiven& was_given);

}  // namespace iprof::vm
