// LeftBehind: removes what tools that were killed left in a target's /tmp: private folders (private_folder.h)
// and commands that were never taken (doorbell.h).
//
// Why there is no way without it: during a recording the folder has the raw file of a program that may be killed, so it must
// outlive its tool, and then no one is left who knows when it may go.
//
// A tool holds a lock on its folder for as long as it lives. A folder without a lock may still be needed by
// the agent, which goes on with the command of a tool that is gone, so it stays for a while.
//
// Guarantees: removes only what belongs to the target's user, has a name of ours, is older than
// kLeftBehindAfter, and is not locked. Follows no link.
// Threads: any. Failure: none; what cannot be removed stays.
#pragma once

#include <chrono>

#include "cli/jvm/jvm_target.h"

namespace iprof::jvm {

inline constexpr std::chrono::seconds kLeftBehindAfter{3600};

void RemoveLeftBehind(const JvmTarget& target);

}  // namespace iprof::jvm
