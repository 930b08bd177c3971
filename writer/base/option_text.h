// OptionText: what texts of the form "a=b,c=d" share: agent options and commands to an agent.
//
// Guarantees: pure; any text may be given.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iprof {

// The parts between the commas. One trailing comma is accepted.
std::vector<std::string_view> SplitOptions(std::string_view text);

bool IsControlCharacter(char c);

// What a message shows of the user's text: the first 80 characters, without control characters.
std::string ShownOption(std::string_view text);

}  // namespace iprof
