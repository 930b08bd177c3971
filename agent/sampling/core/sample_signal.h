// SampleSignal: chooses the signal that sampling uses, and takes it.
//
// Guarantees: a signal that something else handles or ignores is never taken. If the user names
// one, it is refused; otherwise we take SIGURG, or SIGWINCH if SIGURG is in use. The kernel ignores
// both by default. So if a library resets our signal, the process does not end; with a real-time
// signal it would. (SIGCHLD and SIGCONT are ignored by default too, but the JDK resets SIGCHLD when
// it starts a process, and SIGCONT resumes a stopped process.) Once taken, our handler stays
// installed; it does nothing after sampling has ended. The handler runs with all signals blocked
// except the synchronous ones (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP), so that no other
// profiler's handler runs inside ours. The handler itself must keep errno.
// Threads: TakeSignal on a normal thread, one at a time; the rest on any thread.
// Failure: a Status that names the signal.
#pragma once

#include <signal.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof::sampling {

using SampleHandler = void (*)(int signal, siginfo_t* info, void* context);

// Parses "SIGPROF", "PROF", "SIGRTMIN+3", "RTMAX-1" or "40". Fails if it is not a signal that can
// be caught.
Result<int> ParseSignal(std::string_view text);
std::string SignalName(int signal);

// Takes `wanted`, or for 0 a free signal that is ignored by default. Taking our own signal again
// succeeds.
Result<int> TakeSignal(int wanted, SampleHandler handler);

// The owner of a signal.
enum class SignalOwner : uint8_t { kUs, kDefault, kIgnored, kOther };
SignalOwner OwnerOf(int signal, SampleHandler ours);

// "something else in this process has reset SIGURG, the sampling signal, to its default action"
std::string LossText(int signal, SignalOwner owner);

// Whether the signal ends the process if it has no handler.
bool EndsProcessByDefault(int signal);

// Whether signals with this number are queued. If a standard signal is sent while one with the same
// number is pending, the kernel drops it, unless a timer sent it.
inline bool IsQueued(int signal) { return signal >= SIGRTMIN; }

}  // namespace iprof::sampling
