// GlobMatches: patterns with '*' and '?'.
//
// Guarantees: pure, any thread; at most the product of the lengths as steps, no recursion, whatever
// the input.
#pragma once

#include <string_view>

namespace iprof {

// Whether the whole text matches: '*' stands for any characters (none, dots and slashes included),
// '?' for one.
bool GlobMatches(std::string_view pattern, std::string_view text);

}  // namespace iprof
