// HarvestedRun: what a harvest from outside knows of the run that it was made of (RunNote).
//
// Guarantees: each harvest is a run of its own. Of the program only its main class or the name of its jar. Threads: any.
// Failure: what is not known is left out.
#pragma once

#include <string>

#include "writer/profile/io/run_note.h"
#include "writer/profile/model.h"

namespace iprof::cli {

// Of a process of this machine, until now.
// `program`: as a profile may name it.
RunNote HarvestedRun(const std::string& program, const std::string& jdk_version);

// Writes the note into the profile. FinishForImage writes the hashes of code.
void AddProvenance(const RunNote& run, Profile& profile);

}  // namespace iprof::cli
