// RawPlace: where the raw file of a session goes, or why the session has no raw file.
//
// Why the reason is told: a user who reads that a kill costs only the last seconds must learn from
// verbose=1 and `iprof status` where that does not hold.
//
// Example: out=app.iprof has app.iraw. out=/dev/stdout has none, unless raw=FILE gives it a place.
//
// Guarantees: pure. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <string>

#include "agent/settings/options.h"

namespace iprof::vm {

struct RawPlace {
  std::string path;      // absolute; empty: there is no such file
  std::string why_none;  // then, for the user
};

// `asked`: by the user, absolute; empty: beside `profile`, this JVM's own file.
RawPlace PlaceRaw(const Options& options, const std::string& asked, const std::string& profile);

// What the user is told of the file if no profile could be written.
std::string RawNotice(const std::string& path);

}  // namespace iprof::vm
