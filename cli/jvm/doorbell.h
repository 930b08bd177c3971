// The doorbell: a way to call an agent (writer/control/command.h) where the JVM forbids to load agents, and so a second load.
//
// The call is put into a file of the target's /tmp, and the JVM is asked for a data dump
// (JVMTI.data_dump). That calls the agent, which takes the file.
//
// Guarantees: the file belongs to the target's user, only that user can read it, and it is gone afterwards. A
// file of another tool that is ringing is waited for; one that is older than kStaleAfter is replaced.
// Threads: one. Failure: one sentence that names the process.
#pragma once

#include <chrono>
#include <string>

#include "cli/jvm/jvm_connection.h"
#include "writer/base/status.h"

namespace iprof::jvm {

inline constexpr std::chrono::seconds kStaleAfter{30};
// A command's file has this name and the JVM's pid in its own namespace.
inline constexpr char kDoorbellPrefix[] = ".iprof_command";

// Ok when the agent took the command.
Status Ring(JvmConnection& connection, const std::string& command, std::chrono::milliseconds most);

}  // namespace iprof::jvm
