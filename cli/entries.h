// The table of all commands, and the entries of those about the tool itself, which help_commands.cc
// defines.
//
// Guarantees: constant data. Threads: any. Failure: none.
#pragma once

#include <span>
#include <string_view>

#include "cli/terminal/command.h"

namespace iprof::cli {

// All commands in the order in which help lists them.
std::span<const CommandEntry> Commands();

// Null if there is no such command.
const CommandEntry* FindCommand(std::string_view name);

extern const CommandEntry kVersionEntry;
extern const CommandEntry kHelpEntry;
extern const CommandEntry kGenerateEntry;

}  // namespace iprof::cli
