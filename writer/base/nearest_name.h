// NearestName: what a user most likely meant by a misspelt name, for "did you mean".
//
// Guarantees: pure. NearestName takes bounded time and memory: a word of more than 64 characters
// has no nearest name.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace iprof {

// The number of insertions, deletions, replacements and swaps of neighbours that turn a into b,
// ignoring case (optimal string alignment). Takes time proportional to the product of the lengths.
size_t EditDistance(std::string_view a, std::string_view b);

// The candidate with the fewest edits from word; the first one if several have equally few. Empty
// if even that one differs in more than a third of its letters, except that one edit is always
// near enough for names of three letters and more. A candidate that begins with the word is always
// near enough.
std::string_view NearestName(std::string_view word, std::span<const std::string_view> candidates);
std::string_view NearestName(std::string_view word, std::span<const std::string> candidates);

}  // namespace iprof
