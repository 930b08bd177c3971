// ReplacedInputs: refuses to write the result over an input of another format, which would be lost.
//
// Guarantees: files are compared by device and number, so a link to an input is refused, too. '-' as an input is standard
// input. Only regular files matter. Nothing is opened.
// Threads: any. Failure: kUsage for an output that is an input.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof::cli {

// `made`: what is written, in a word. Empty names, and '-' as the output, are no files.
Status CheckReplacesNone(const std::string& output, std::span<const std::string> inputs,
                         std::string_view made);

}  // namespace iprof::cli
