// Option hints: what a user probably meant who wrote something that is not an option, or a value that an
// option does not take. HPROF's options are known, because scripts still have them. Example: of "cpu=times,depth=8" the message is
//   unknown option 'cpu'; did you mean 'calls=y,samples=y', from which 'iprof top --times' makes times?
//
// Guarantees: pure; a hint is itself accepted by the parser, except for what is quoted of the user's own
// text, and for commands. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

#include "agent/settings/options.h"

namespace iprof::vm {

// The message about an item that is no option. `before` is the option before it, or null.
std::string ExplainUnknownOption(std::string_view item, const OptionSpec* before);

// For an option of HPROF: "did you mean …?" with ours. Empty if HPROF had no such option, or if we have one of that name.
std::string_view HintForHprof(std::string_view name, std::string_view value);

// The value that was probably meant; empty if it is not clear.
std::string NearestValue(const OptionSpec& spec, std::string_view value);

}  // namespace iprof::vm
