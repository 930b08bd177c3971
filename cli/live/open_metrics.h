// OpenMetrics: a session's status as metrics, for `iprof status --format openmetrics`.
//
// Guarantees: the text follows OpenMetrics 1.0: each family once, with # TYPE, # UNIT where it has a unit,
// and # HELP before its samples; names of counters end in _total, and names with a unit end in it; values of
// labels are escaped, and UTF-8 as the format demands; # EOF at the end. Names and labels stay from release
// to release (docs/versions.md).
// Threads: any; pure. Failure: none but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

#include "writer/control/session_status.h"

namespace iprof::cli {

// `who`: the label "target" of every sample.
std::string OpenMetricsText(std::string_view who, const control::SessionStatus& status);

// A label's value with \\, \" and \n. Bytes that are no UTF-8, and other control characters, which could
// change a terminal, become U+FFFD.
std::string EscapeLabel(std::string_view value);

}  // namespace iprof::cli
