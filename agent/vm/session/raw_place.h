// RawPlace: where a session's raw file goes, or why it has none.
//
// Why the reason is told: a user who reads that a kill costs only the last seconds must learn from
// verbose=1 and `iprof status` where that does not hold.
//
// Guarantees: pure. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <string>

#include "agent/vm/settings/options.h"

namespace iprof::vm {

struct RawPlace {
  std::string path;      // absolute; empty: there is no raw file
  std::string why_none;  // then, for the user
};

// `asked`: by the user, absolute; empty: beside `profile`, this JVM's own file.
RawPlace PlaceRaw(const Options& options, const std::string& asked, const std::string& profile);

// What the user is told of the file if no profile could be written. HotSpot's own counters are not in it.
std::string RawNotice(const Options& options, const std::string& path);

}  // namespace iprof::vm
