// Collapsed stacks: the input of flame-graph tools.
//
// Guarantees: one line per stack, "outermost;…;innermost count", sorted, with equal stacks added up.
// Frames are "a.b.C.m", with bcis "a.b.C.m:12". A ';' or control character in a name (legal in a
// class file) becomes \xNN, so that each line is one stack.
// Threads: any, while no other thread changes the profile.
// Failure: only if the sink fails, with the sink's Status. Throws nothing but std::bad_alloc.
#pragma once

#include "writer/base/status.h"
#include "writer/export/export_format.h"
#include "writer/io/byte_stream.h"
#include "writer/model/model.h"

namespace iprof {

Status WriteCollapsed(const Profile& profile, const ExportOptions& options, ByteSink& sink);

}  // namespace iprof
