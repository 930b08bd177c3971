// The kinds of options that several commands share, each with its check, its message and its type
// name. Help, man page and completions show the type name; it is set only here.
//
// Guarantees: an option of one kind has the same check, message and type name in every command.
// Threads: main's, which parses the command line.
// Failure: CLI11 throws its ParseError for a wrong value, and main prints the message.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "cli/terminal/option_list.h"

namespace iprof::cli {

// One of a few words; the message about a wrong word suggests the nearest one.
OptionRow AddChoice(OptionList& options, const std::string& name, std::string& value,
                    const std::vector<std::string>& choices, const std::string& description);

// The versions of the format that are written, ascending.
std::vector<std::string> WrittenVersions();

// --output-version auto, or a version of the format that is written.
OptionRow AddOutputVersion(OptionList& options, std::string& version,
                           const std::string& description);

// --format text|json, and what else a command has.
OptionRow AddFormat(OptionList& options, std::string& format,
                    const std::vector<std::string>& others = {});

// A positional profile; '-' is standard input.
OptionRow AddProfile(OptionList& options, const std::string& name, std::string& path,
                     const std::string& description);

// A non-negative number, optionally with '%': 0.05 and 5% both give 0.05.
OptionRow AddShare(OptionList& options, const std::string& name, double& share,
                   const std::string& description);

// A whole number >= 0, decimal: 010 is ten.
OptionRow AddCount(OptionList& options, const std::string& name, size_t& count,
                   const std::string& description);

// A time: a whole number with ms, s, m or h.
OptionRow AddDuration(OptionList& options, const std::string& name, std::chrono::milliseconds& time,
                      const std::string& description);

// --color auto|always|never and -h,--help: every command has them.
void AddEverywhere(OptionList& options, std::string& color);
ColorMode ParseColor(const std::string& color);

}  // namespace iprof::cli
