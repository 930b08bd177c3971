// The socket through which a JVM takes requests: opening it, which may mean asking the JVM to make it, and
// one exchange.
//
// A HotSpot listens at /tmp/.java_pidN (N is the pid in its own namespace) once it was asked to: a client
// makes the file .attach_pidN in the JVM's working directory or in /tmp and sends SIGQUIT. A JVM that
// handles no SIGQUIT would end from it: one that is starting, one with -Xrs (which listens from its start),
// or another program. So the signal is sent only where the kernel says that it is handled.
//
// Guarantees:
//  - The file .attach_pidN is removed, also when the user interrupts. It stays if the JVM is stopped and
//    has not taken the SIGQUIT: without the file it would print its threads when it goes on. The next tool
//    removes it when the JVM listens, as it does with what a killed tool left.
//  - A stale socket, which an earlier process or JVM left, is removed if it is the target user's, and the
//    JVM is asked to make a new one. Another user's file at that place is refused.
//  - No call waits longer than its TargetWait, and half a second for the end of a JVM that does not listen any more.
// Threads: one. Failure: one sentence that names the process.
#pragma once

#include <string>

#include "cli/jvm/jvm_target.h"
#include "cli/jvm/target_wait.h"
#include "writer/base/open_file.h"
#include "writer/base/status.h"

namespace iprof::jvm {

// Makes sure that the JVM listens.
Status WakeListener(const JvmTarget& target, TargetWait& wait);

// Sends a request and gives everything that comes back. The JVM must listen; if its socket is gone although it lives, it is
// asked once more, within the same wait.
Result<std::string> Exchange(const JvmTarget& target, const std::string& request, TargetWait& wait);

}  // namespace iprof::jvm
