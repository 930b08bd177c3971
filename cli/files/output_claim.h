// OutputClaim: the name of a profile that a command will write, which no live JVM and no other
// command writes at the same time.
//
// A JVM has a claim on the name of its own profile (agent/settings/out_claim.h), and replaces
// the file at its end.
//
// Guarantees: while the claim lives, no other process that asks for one writes the file. A raw file
// is never the output. '-', a device and a pipe have no claim, and are not opened here.
// Threads: one. Failure: kUsage for a raw file, kLimit if all names are taken, and what ClaimOutput
// says.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "agent/settings/out_claim.h"
#include "cli/terminal/console.h"
#include "writer/base/status.h"

namespace iprof::cli {

// For the profile that this JVM's agent makes. Fails with kIo if it could not be written, so that
// nothing is recorded in vain. If another process has the name, and not this JVM, `path` becomes
// the first name with a number that can be written, and the user is told.
Result<vm::OutClaim> ClaimOutput(Console& console, pid_t jvm, std::string& path);

// Whether a file that the user did not name may be replaced.
using MayReplace = std::function<bool(const std::string& path)>;

// For any other profile. If a process has the name, `path` becomes the first unused name with a
// number, and the user is told: what is made of other files may not replace one that the user did
// not name. With `may_replace`, it becomes one of the last few names before that, if this file is
// an earlier result: a command that is repeated then fills no folder.
Result<vm::OutClaim> ClaimOutput(Console& console, std::string& path,
                                 const MayReplace& may_replace = {});

}  // namespace iprof::cli
