// Where the agent's library is: beside the tool in a build tree, in the library folder of an installation.
// Threads: any. Failure: one sentence that names where it looked.
#pragma once

#include <string>

#include "writer/base/status.h"

namespace iprof::cli {

// Fails where it is in neither place; the message names both.
Result<std::string> FindAgentLibrary();

}  // namespace iprof::cli
