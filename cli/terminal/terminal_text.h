// Makes text from a profile safe to print: a method's name may legally contain line feeds, escape
// sequences or right-to-left overrides, and must not be able to control the user's terminal or
// forge lines of output.
//
// Guarantees: the result contains no C0 or C1 control character, no DEL, no bidirectional override,
// no line or paragraph separator and no malformed UTF-8; each such byte or code point appears as
// \n, \t, \xNN or \u{NNNN}. Backslashes are not escaped: Java names hardly ever contain one, and
// paths in messages remain readable.
// Threads: any; pure functions. Failure: none but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

namespace iprof::cli {

std::string EscapeForTerminal(std::string_view text);

// The same text with every malformed UTF-8 byte replaced by U+FFFD, as JSON output needs it.
std::string ToValidUtf8(std::string_view text);

}  // namespace iprof::cli
