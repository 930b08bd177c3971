// Which versions of the format can be read.
//
// Guarantees: pure. Threads: any. Failure: a Status with a message that names the version.
#pragma once

#include <string_view>

#include "writer/base/status.h"

namespace iprof {

// We read versions 0.4.0 and 1.x. Other versions give kUnsupported, and text that is not a version
// kBadInput, with a message that names it.
Status CheckVersion(std::string_view version);

}  // namespace iprof
