// ParseProfileByRapidJson: what ParseProfile (writer/profile_events.h) does, by RapidJSON's SAX
// reader with kParseIterativeFlag, for the comparison in docs/lab/json-reader.md.
//
// Guarantees: for a file that keeps to the format the same events as ParseProfile, in the same order,
// with the same places. Failures and violations have a byte offset and a JSON path. Differences: no
// event for unknown members; the offset of a violation is that of the token's end; what RapidJSON
// refuses and JSON allows (an escaped high surrogate alone, a number too large for a double) fails.
// Memory: one window, the longest string, held-back tables and unknown keys. No recursion.
#pragma once

#include <string_view>

#include "writer/base/status.h"
#include "writer/io/byte_stream.h"
#include "writer/io/profile_events.h"

namespace iprof {

Status ParseProfileByRapidJson(ByteSource& source, std::string_view name, ProfileEvents& events);

// RapidJSON's reader with a handler that ignores every token: what its tokens alone cost.
Status ReadTokensByRapidJson(ByteSource& source, std::string_view name);

}  // namespace iprof
