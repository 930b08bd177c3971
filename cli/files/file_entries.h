// The entries of the commands on profiles. Each is defined in the file of its command; commands.cc lists them.
//
// Guarantees: constant data. Threads: any. Failure: none.
#pragma once

#include "cli/terminal/command.h"

namespace iprof::cli {

extern const CommandEntry kShowEntry;
extern const CommandEntry kAdviseEntry;
extern const CommandEntry kCheckEntry;
extern const CommandEntry kMergeEntry;
extern const CommandEntry kDiffEntry;
extern const CommandEntry kOverlapEntry;
extern const CommandEntry kTopEntry;
extern const CommandEntry kReportEntry;
extern const CommandEntry kConvertEntry;
extern const CommandEntry kRecoverEntry;

}  // namespace iprof::cli
