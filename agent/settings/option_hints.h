// Option hints: what a user probably meant who wrote something that is not an option, or a value that an
// option does not take.
//
// Guarantees: pure; a hint is itself accepted by the parser, except for what is quoted of the user's own
// text. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

#include "agent/settings/options.h"

namespace iprof::vm {

// The message about an item that is no option. `before` is the option before it, or null.
std::string ExplainUnknownOption(std::string_view item, const OptionSpec* before);

// The value that was probably meant; empty if it is not clear.
std::string NearestValue(const OptionSpec& spec, std::string_view value);

}  // namespace iprof::vm
