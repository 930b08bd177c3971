// NearestName: what a user most likely meant by a misspelt name.
//
// Guarantees: pure; time and memory bounded (a word longer than 64 characters is never near
// anything).
#pragma once

#include <span>
#include <string_view>

namespace iprof::vm {

// The candidate with the fewest edits (insert, delete, replace, swap of neighbours; case does not
// count) from word, the first among equals; empty when even that one differs in more than a third
// of its letters (but one edit is always near for names of three letters and more).
std::string_view NearestName(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace iprof::vm
