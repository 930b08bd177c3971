// One entry of a table as JSON: {"context": [{"method", "bci"} …], "count", "successors" or
// "types"}.
//
// Guarantees, threads and failure: as JsonText.
#pragma once

#include "cli/terminal/json_text.h"
#include "writer/profile/model.h"

namespace iprof::cli {

void PrintContext(JsonText& json, const Profile& profile, ContextIndex context);
void PrintEntry(JsonText& json, const Profile& profile, Table table, EntryIndex entry);

}  // namespace iprof::cli
