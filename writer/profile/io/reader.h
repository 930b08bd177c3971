// ReadProfile: reads iprof text into a Profile.
//
// Guarantees: accepts any order of keys, any whitespace, gzip, versions 0.4.0 and 1.x, and both
// spellings of the instanceof table. It keeps file ids, the order of types, methods and entries,
// and unknown top-level keys. The hashes of methods' code are set if the part fits (code_part.h).
// Samples that are in pieces or left out have their whole stacks again, behind the others, and the
// types and methods that only these name are declared (split_part.h). Contexts are disjoint, also
// if the file says that its are inclusive (context_form.h). The reader is strict where a profile
// would be ambiguous or crash its consumer (undeclared or repeated ids, negative counts, record
// lengths, missing required keys), and lenient elsewhere: two entries with the same context are
// added, and doubtful values are kept.
// `iprof check` lists all violations.
// Threads: any number at once.
// Failure: the Status names the file, byte offset, JSON path, what was found and what was expected.
// Its code is kIo (cannot read), kBadInput (not JSON, or not an iprof), kUnsupported (another
// version) or kLimit. Throws nothing but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

#include "writer/base/status.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/profile/io/profile_events.h"
#include "writer/profile/model.h"
#include "writer/profile/sample_threads.h"

namespace iprof {

// Samples have these of their labels (sample_threads.h).
Result<Profile> ReadProfile(ByteSource& source, std::string_view name,
                            SampleLabels labels = SampleLabels::kThreadsAndPeriods);
// The same with another parser, for comparisons.
using ProfileParser = Status (*)(ByteSource& source, std::string_view name, ProfileEvents& events);
Result<Profile> ReadProfileWith(ProfileParser parser, ByteSource& source, std::string_view name);
// A regular file; "-" is standard input.
Result<Profile> ReadProfileFile(const std::string& path);
Result<Profile> ReadProfileText(std::string_view text, std::string_view name = "text");

}  // namespace iprof
