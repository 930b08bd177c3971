// The entries of all commands. Each is defined in the file of its command; commands.cc lists them.
//
// Guarantees: constant data. Threads: any. Failure: none.
#pragma once

#include "cli/command.h"

namespace iprof::cli {

extern const CommandEntry kShowEntry;
extern const CommandEntry kCheckEntry;
extern const CommandEntry kMergeEntry;
extern const CommandEntry kDiffEntry;
extern const CommandEntry kOverlapEntry;
extern const CommandEntry kTopEntry;
extern const CommandEntry kReportEntry;
extern const CommandEntry kConvertEntry;
extern const CommandEntry kListEntry;
extern const CommandEntry kAttachEntry;
extern const CommandEntry kProfileEntry;
extern const CommandEntry kStartEntry;
extern const CommandEntry kStopEntry;
extern const CommandEntry kResetEntry;
extern const CommandEntry kDumpEntry;
extern const CommandEntry kStatusEntry;
extern const CommandEntry kHarvestEntry;
extern const CommandEntry kRecoverEntry;
extern const CommandEntry kRefreshEntry;
extern const CommandEntry kVersionEntry;
extern const CommandEntry kHelpEntry;
extern const CommandEntry kGenerateEntry;

}  // namespace iprof::cli
