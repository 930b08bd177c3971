// ParseProfileByRapidJson: the same as ParseProfile (writer/profile/io/profile_events.h), with RapidJSON's
// SAX reader and kParseIterativeFlag, for the comparison in docs/lab/json-reader.md.
//
// Guarantees: for a valid file, the same events as ParseProfile, in the same order, with the same
// places. Failures and violations have a byte offset and a JSON path. Differences: there is no
// event for unknown members; the offset of a violation is that of the token's end; and legal JSON
// that RapidJSON rejects (an escaped high surrogate alone, a number too large for a double) is a
// failure. Memory: one window, the longest string, held-back tables and unknown keys. No recursion.
// Threads: one per parse. Failure: a Status; std::bad_alloc.
#pragma once

#include <string_view>

#include "writer/base/status.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/profile/io/profile_events.h"

namespace iprof {

Status ParseProfileByRapidJson(ByteSource& source, std::string_view name, ProfileEvents& events);

}  // namespace iprof
