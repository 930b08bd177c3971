// The short names of tables on the command line, and the options that take them.
//
// Guarantees: pure, except that AddTables adds an option. TableOfName accepts the short name and
// the format's key.
// Threads: any.
// Failure: an unknown name is nullopt. For an unknown table on the command line, CLI11 throws its
// ParseError, and main prints the message.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/option_list.h"
#include "writer/profile/model.h"

namespace iprof::cli {

std::string_view ShortName(Table table);  // "calls", "conditionals" …
std::optional<Table> TableOfName(std::string_view name);

// --table NAME, repeatable; none given means all.
OptionRow AddTables(OptionList& options, std::vector<std::string>& names);
std::vector<Table> SelectedTables(const std::vector<std::string>& names);

}  // namespace iprof::cli
