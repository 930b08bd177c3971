// Glob matching for the options that take patterns.
//
// Guarantees: pure; O(pattern × text) time, no recursion, whatever the input.
#pragma once

#include <string_view>

namespace iprof::vm {

// Whether the whole text matches: '*' stands for any characters (none, dots and slashes included),
// '?' for one.
bool GlobMatches(std::string_view pattern, std::string_view text);

}  // namespace iprof::vm
