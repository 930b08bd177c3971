// TemporaryFile: how files that will replace others are named while they are written, and how those that
// a killed process left behind are removed.
//
// Guarantees: a file is only removed if it has such a name for the same target, belongs to our user, has
// not changed for a minute, and no process holds it (Hold). The kernel knows that across containers
// that share the folder; where the file system has no locks, nothing is removed.
// Threads: any. Failure: what cannot be looked at or removed stays, without a message.
#pragma once

#include <string>

#include "writer/base/system_calls.h"

namespace iprof {

// ".NAME.PID.NUMBER.tmp"; a long name is shortened, because a file name has at most 255 bytes.
std::string TemporaryNameFor(const std::string& name, unsigned number);

// Marks the open file as in use until the descriptor is closed.
void HoldTemporary(int fd, SystemCalls& calls);

// Removes the files for this target that killed processes left in the folder.
void RemoveAbandonedTemporaries(int folder, const std::string& name);

}  // namespace iprof
