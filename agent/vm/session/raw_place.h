// RawPlace: where the file of a session goes that survives a kill: the raw file, or a partial profile where a raw file
// would lack something. Or why there is none.
//
// Why the reason is told: a user who reads that a kill costs only the last seconds must learn from
// verbose=1 and `iprof status` where that does not hold.
//
// Example: out=app.iprof has app.iraw, and with mode=budget app.iprof.partial. With source=methoddata, raw=x.iraw asks
// for a raw file of the samples instead.
//
// Guarantees: pure. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <string>

#include "agent/vm/settings/options.h"

namespace iprof::vm {

struct RawPlace {
  std::string path;      // absolute; empty: there is no such file
  std::string why_none;  // then, for the user
  std::string why_partial =
      {};  // for the user, why it is a partial profile; empty: it is a raw file
};

// `asked`: by the user, absolute; empty: beside `profile`, this JVM's own file.
RawPlace PlaceRaw(const Options& options, const std::string& asked, const std::string& profile);

// What the user is told of the file if no profile could be written. HotSpot's own counters are not in a raw file.
std::string RawNotice(const Options& options, const std::string& path);

}  // namespace iprof::vm
