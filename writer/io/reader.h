// ReadProfile: iprof text to Profile.
//
// Guarantees: accepts any order of keys, any whitespace, gzip, versions 0.4.0 and 1.x, both
// spellings of the instanceof table. File ids, order of types, methods and entries, and unknown
// top-level keys are kept. A failed Status names the file, byte offset, JSON path, what was found
// and what was expected; codes: kIo (cannot read), kBadInput (not JSON, or not an iprof),
// kUnsupported (a version that is refused by name), kLimit. Strict where a profile would be
// ambiguous or crash its consumer (undeclared or repeated ids, negative counts, record lengths,
// missing required keys), lenient elsewhere: two entries with one context are added, doubtful
// values are kept. `iprof check` is the place for complete lists.
// No exception leaves except std::bad_alloc. May run on any number of threads at once.
#pragma once

#include <string>
#include <string_view>

#include "writer/base/status.h"
#include "writer/io/byte_stream.h"
#include "writer/io/profile_events.h"
#include "writer/model/model.h"

namespace iprof {

Result<Profile> ReadProfile(ByteSource& source, std::string_view name);
// The same with the events of another parser: for comparisons.
using ProfileParser = Status (*)(ByteSource& source, std::string_view name, ProfileEvents& events);
Result<Profile> ReadProfileWith(ProfileParser parser, ByteSource& source, std::string_view name);
// "-" is standard input.
Result<Profile> ReadProfileFile(const std::string& path);
Result<Profile> ReadProfileText(std::string_view text, std::string_view name = "text");

}  // namespace iprof
