// Doorbell: the call of a tool (writer/control/command.h), left in a file where it may not load libraries into the JVM.
//
// The tool writes the file and then requests a data dump (jcmd PID JVMTI.data_dump). SIGQUIT and other
// tools request dumps, too; then there is no file.
//
// Guarantees: takes only a regular file of this process's user that no other may read or write, and no
// symbolic link; removes what it takes, so a call is heard once. Other files are left alone.
// Threads: any. Failure: a file that is not acceptable is ignored, as if there were none.
#pragma once

#include <optional>
#include <string>

namespace iprof::vm {

// The file of this process, in the folder that the tool uses, too.
std::string DoorbellPath();

// Takes the call's text; nullopt if the bell did not ring.
std::optional<std::string> TakeDoorbell(const std::string& path);

}  // namespace iprof::vm
