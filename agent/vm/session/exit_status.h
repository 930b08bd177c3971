// ExitStatus: lets the process end with a status that says that the profile was lost
// (onwritefailure=exit).
//
// When the last profile is written, the JVM has decided its status and goes on to exit(3); where native code
// calls exit(3), the process is in it already.
//  - glibc: a function of atexit(3) calls exit(3) again with another status. That goes on with the functions that
//    are left, with destructors and with stdio's buffers: nothing that happens at an orderly end is left out, and
//    nothing happens twice. If a function of atexit(3) asks for it, the new one is called next.
//  - musl: newer versions abort a process that calls exit(3) again. So a destructor, which comes after all functions
//    of atexit(3), writes stdio's buffers and ends the process. Destructors of libraries that were loaded before this
//    one are left out.
//
// Guarantees: without ReplaceExitStatus nothing changes. A process that does not come to exit(3), by a
// signal or _exit(2), keeps its status.
// Threads: any. Failure: if the system takes no more functions, the status stays.
#pragma once

namespace iprof::vm {

// EX_IOERR of sysexits.h: no exit status of the JVM itself.
inline constexpr int kProfileLostStatus = 74;

void ReplaceExitStatus(int status);

}  // namespace iprof::vm
