// WildcardMatch: patterns with '*' (any characters, also none) and '?' (one).
//
// Pure; any thread; takes at most the product of the lengths.
#pragma once

#include <string_view>

namespace iprof {

bool WildcardMatch(std::string_view pattern, std::string_view text);

}  // namespace iprof
