// MakeCallersAlike: before two profiles are compared: where only one of them has counts by caller, these are added up.
//
// Example: A has 5:0<8:3 with 700 calls and 5:0 with 50, B has 5:0 with 760. They are compared as 750 and 760.
//
// Guarantees: a table that is empty in one of them stays as it is. Threads: main's. Failure: none but std::bad_alloc.
#pragma once

#include <string>

#include "cli/terminal/console.h"
#include "writer/profile/model.h"

namespace iprof::cli {

// Says so in a warning, with the names of the files.
void MakeCallersAlike(Console& console, const std::string& name_a, Profile& a,
                      const std::string& name_b, Profile& b);

}  // namespace iprof::cli
