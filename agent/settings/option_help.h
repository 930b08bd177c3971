// Option help: the texts that are made from the table of options: help, help=all, help=OPTION, and the
// reference in docs/options.md.
//
// Guarantees: pure; help and the first part of the reference show the options for users, help=all and the
// reference show all. Threads: any. Failure: an option that does not exist is explained by an empty text.
//
// Example: help lists out=, and its last line says how many more help=all lists. stripes= is among them.
// help=stripes explains it.
#pragma once

#include <string>
#include <string_view>

namespace iprof::vm {

// What "help=ABOUT" prints: everything about one option, or for kHelpAboutAll the table of all options.
// Of an empty text what "help" prints: the table of the options for users.
std::string HelpText(std::string_view about = {});

// The reference as Markdown: two headings, each with a table.
std::string OptionReference();

}  // namespace iprof::vm
