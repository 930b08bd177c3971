// speedscope: the JSON format of the flame-graph viewer of this name.
//
// Guarantees:
//  - One sampled profile for the samples, in nanoseconds if the profile tells the interval, else as
//    plain numbers; one for the calls; a table without entries has none, but there is at least one.
//  - Stacks are sorted by their frames, outermost first, so that the view by time order shows equal
//    callers side by side. Equal stacks are added up.
//  - A frame is a method and, where the profile has it, a source line.
// Threads: any, while no other thread changes the profile.
// Failure: only if the sink fails, with the sink's Status. Throws nothing but std::bad_alloc.
#pragma once

#include "writer/base/status.h"
#include "writer/export/export_format.h"
#include "writer/io/byte_stream.h"
#include "writer/model/model.h"

namespace iprof {

Status WriteSpeedscope(const Profile& profile, const ExportOptions& options, ByteSink& sink);

}  // namespace iprof
