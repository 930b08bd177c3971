// pprof: the format of Go's profiler tool, which other viewers read too: one message
// perftools.profiles.Profile, here not compressed yet (ExportFormat::compressed).
//
// Guarantees:
//  - Every stack of samples and of calls is one sample. Its values are "samples" (count), the time
//    that they stand for ("cpu" or "wall", nanoseconds), and "calls" (count); a table without entries
//    has no value, and there is no time if the profile does not tell the interval. The first one is the
//    default.
//  - A location is a method and, where the profile has it, a source line. A function's name is
//    "a.b.C.m"; its system name has the signature.
//  - The time of the earliest run, and the time recorded in all of them.
// Threads: any, while no other thread changes the profile.
// Failure: only if the sink fails, with the sink's Status. Throws nothing but std::bad_alloc.
#pragma once

#include "writer/base/status.h"
#include "writer/export/export_format.h"
#include "writer/io/byte_stream.h"
#include "writer/model/model.h"

namespace iprof {

Status WritePprof(const Profile& profile, const ExportOptions& options, ByteSink& sink);

}  // namespace iprof
