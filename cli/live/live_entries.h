// The entries of the commands on running JVMs. Each is defined in the file of its command; commands.cc lists them.
//
// Guarantees: constant data. Threads: any. Failure: none.
#pragma once

#include "cli/terminal/command.h"

namespace iprof::cli {

extern const CommandEntry kListEntry;
extern const CommandEntry kAttachEntry;
extern const CommandEntry kProfileEntry;
extern const CommandEntry kStartEntry;
extern const CommandEntry kStopEntry;
extern const CommandEntry kResetEntry;
extern const CommandEntry kDumpEntry;
extern const CommandEntry kStatusEntry;
extern const CommandEntry kHarvestEntry;
extern const CommandEntry kRefreshEntry;

}  // namespace iprof::cli
