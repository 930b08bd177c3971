// What to type instead of arguments that a command does not take. The texts are made of the command's own description, so that
// a new option needs none.
//
//   iprof profile 4711 --pid 4711   unknown option '--pid': give the pid without an option, as in 'iprof profile 4711 …'
//   iprof diff a.iprof              b is required, as in 'iprof diff old.iprof new.iprof'
//
// Guarantees: one sentence, without "iprof: error:". Threads: any; pure. Failure: none but std::bad_alloc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/reference.h"

namespace iprof::cli {

// `extras`: the arguments that the parser could not use. `has_output`: -o was given.
std::string DescribeUnexpected(const CommandDoc& command, std::span<const std::string> extras,
                               bool has_output);

// `problem`: what the parser says, such as "file is required".
std::string DescribeMissing(const CommandDoc& command, std::string_view problem);

// What is neither a command nor a profile's name.
std::string DescribeUnknownCommand(const std::string& name);

// Whether `iprof NAME` means `iprof show NAME`: it is a file, or its name ends as a profile's does.
bool NamesProfile(const std::string& name);

}  // namespace iprof::cli
