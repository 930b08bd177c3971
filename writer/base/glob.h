// GlobMatches: patterns with '*' and '?'.
//
// Guarantees: pure. For any input, it takes at most the product of the two lengths as steps, and
// does not recurse or allocate.
// Threads: any. Failure: none.
#pragma once

#include <string_view>

namespace iprof {

// Whether the whole text matches: '*' matches any number of characters, including none, dots and
// slashes; '?' matches one.
bool GlobMatches(std::string_view pattern, std::string_view text);

}  // namespace iprof
