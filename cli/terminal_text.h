// Text from a profile made safe to print: a method's name may legally hold line feeds, escape
// sequences or right-to-left overrides, and must not be able to rewrite the user's terminal or
// forge lines of output.
//
// Guarantees: the result holds no C0 or C1 control character, no DEL, no bidirectional override, no
// line or paragraph separator and no malformed UTF-8; each such byte or code point appears as \n,
// \t, \xNN or \u{NNNN}. A backslash stays as it is: Java names never need one, and paths shown in
// messages stay readable. Pure functions; never fail.
#pragma once

#include <string>
#include <string_view>

namespace iprof::cli {

std::string EscapeForTerminal(std::string_view text);

// The same text with every malformed UTF-8 byte replaced by U+FFFD, as JSON output needs it.
std::string ToValidUtf8(std::string_view text);

}  // namespace iprof::cli
