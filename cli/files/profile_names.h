// The names of profile files: how they end, and what is made of them where the user names no output.
//
//   iprof report app.iprof.gz   writes app.html beside it
//   iprof recover app.iraw      writes app.iprof beside it
//
// Guarantees: OutputBeside never gives the name of an existing file. Threads: any; only OutputBeside uses the file system.
// Failure: OutputBeside: kUsage, with a sentence that says what to type.
#pragma once

#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof::cli {

// Whether it ends with ".iprof", ".iprof.gz" or ".iraw".
bool HasProfileName(std::string_view path);
// "a/app" for "a/app.iprof"; other names stay.
std::string WithoutProfileSuffix(std::string_view path);

// The output of a command that is given none: `input` without its suffix, and `suffix`. `made` is what it is: "page".
Result<std::string> OutputBeside(const std::string& input, std::string_view suffix,
                                 std::string_view made);

}  // namespace iprof::cli
