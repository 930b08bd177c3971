// The nearest valid name to a mistyped one, for "did you mean".
// Pure; never fails: an empty answer means that nothing is near enough to be worth proposing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace iprof::cli {

// Insertions, deletions, substitutions and swaps of neighbours that turn a into b.
size_t EditDistance(std::string_view a, std::string_view b);

// The candidate of least distance, at most a third of the name's length (but at least 2); the first
// of equals. A candidate that the name is a prefix of counts as distance 1.
std::string Nearest(std::string_view name, std::span<const std::string> candidates);

}  // namespace iprof::cli
