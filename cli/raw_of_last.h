// RawOfLast: the raw file of a recording that the program's end has left to the tool that takes the profile
// (writer/control/command.h, kRawOfLast). It is where the user's raw= says.
//
// Guarantees: removes nothing but a raw file of the target's user, and with no more rights than that user has. Links
// in its path lead to where they lead for the target.
// Threads: one, because ids are borrowed. Failure: the file stays, and the caller gets its path.
#pragma once

#include <optional>
#include <string>

#include "cli/jvm/jvm_target.h"
#include "cli/jvm/private_folder.h"

namespace iprof::cli {

// Call it when the profile is saved. The target may have ended. nullopt: there is no such file, or it is removed;
// otherwise the path of the file, as the target saw it.
std::optional<std::string> RemoveRawOfLast(const jvm::JvmTarget& target,
                                           const jvm::PrivateFolder& folder);

}  // namespace iprof::cli
