// Option help: the texts that are made from the table of options: help, help=OPTION, and the reference
// in docs/options.md.
//
// Guarantees: pure. Threads: any. Failure: an option that does not exist is explained by an empty text.
#pragma once

#include <string>
#include <string_view>

namespace iprof::vm {

// Everything about one option, for "help=OPTION"; of an empty name the table of all options with their
// defaults, for "help".
std::string HelpText(std::string_view option = {});

// The rows of the reference, as a Markdown table.
std::string OptionReference();

}  // namespace iprof::vm
