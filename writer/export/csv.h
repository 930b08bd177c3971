// CSV: every count of a profile, for spreadsheets and databases.
//
// Guarantees: RFC 4180 with LF; one line per count, header first:
// table,method,bci,callers,successor_bci,successor_index,type,count; empty where it does not apply.
// Callers are "method:bci", innermost first, joined by " < ". The order is that of the profile.
// Threads: any, while no other thread changes the profile.
// Failure: only if the sink fails, with the sink's Status. Throws nothing but std::bad_alloc.
#pragma once

#include "writer/base/status.h"
#include "writer/export/export_format.h"
#include "writer/io/byte_stream.h"
#include "writer/model/model.h"

namespace iprof {

Status WriteCsv(const Profile& profile, const ExportOptions& options, ByteSink& sink);

}  // namespace iprof
