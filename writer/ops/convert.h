// Conversions of a profile to other formats.
//
// Guarantees: streams into the sink in a deterministic order.
//  - Collapsed stacks: one line per stack, "outermost;…;innermost count", sorted, with equal
//    stacks added up: the input of flame-graph tools. Frames are "a.b.C.m", with bcis
//    "a.b.C.m:12". A ';' or control character in a name (legal in a class file) becomes \xNN, so
//    that each line is one stack.
//  - CSV (RFC 4180 with LF): one line per count, header first:
//    table,method,bci,callers,successor_bci,successor_index,type,count; empty where it does not
//    apply. Callers are "method:bci", innermost first, joined by " < ".
// Threads: any, while no other thread changes the profile.
// Failure: only if the sink fails, with the sink's Status. Throws nothing but std::bad_alloc.
#pragma once

#include "writer/base/status.h"
#include "writer/io/byte_stream.h"
#include "writer/model/model.h"

namespace iprof {

struct CollapsedOptions {
  bool bci = false;
};
Status WriteCollapsed(const Profile& profile, const CollapsedOptions& options, ByteSink& sink);

Status WriteCsv(const Profile& profile, ByteSink& sink);

}  // namespace iprof
