// The entries of all commands: each is defined beside its command, and commands.cc lists them.
#pragma once

#include "cli/command.h"

namespace iprof::cli {

extern const CommandEntry kShowEntry;
extern const CommandEntry kCheckEntry;
extern const CommandEntry kMergeEntry;
extern const CommandEntry kDiffEntry;
extern const CommandEntry kOverlapEntry;
extern const CommandEntry kTopEntry;
extern const CommandEntry kConvertEntry;
extern const CommandEntry kVersionEntry;
extern const CommandEntry kHelpEntry;
extern const CommandEntry kGenerateEntry;

}  // namespace iprof::cli
