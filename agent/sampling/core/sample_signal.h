// SampleSignal: which signal sampling uses, and owning it.
//
// Guarantees: a signal that somebody handles or ignores is never taken: asked for by name it is
// refused. Without a name SIGURG is taken, or SIGWINCH where SIGURG is in use. The kernel ignores
// both where nobody handles them. So a library that resets our signal, before anybody can notice,
// does not end the process; it would with a real-time signal. (SIGCHLD and SIGCONT are ignored as
// well. But the JDK resets the first when it starts a process, and each use of the second resumes a
// stopped process.) Once taken, our handler stays installed for good (it does nothing when sampling
// is over). The handler runs with every signal blocked but the synchronous ones (SIGSEGV, SIGBUS,
// SIGFPE, SIGILL, SIGTRAP), so that no other profiler's handler runs inside ours; errno is the
// handler's duty.
//
// Who calls: TakeSignal a normal thread, one at a time; everything else any thread.
#pragma once

#include <signal.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof::sampling {

using SampleHandler = void (*)(int signal, siginfo_t* info, void* context);

// "SIGPROF", "PROF", "SIGRTMIN+3", "RTMAX-1", "40": a signal that can be caught, else a failed
// Status.
Result<int> ParseSignal(std::string_view text);
std::string SignalName(int signal);

// Takes `wanted`, or a free one that is ignored by default for 0. Taking our own again is fine.
Result<int> TakeSignal(int wanted, SampleHandler handler);

// Who has a signal.
enum class SignalOwner : uint8_t { kUs, kDefault, kIgnored, kOther };
SignalOwner OwnerOf(int signal, SampleHandler ours);

// "something else in this process has reset SIGURG, the signal of sampling, to its default action"
std::string LossText(int signal, SignalOwner owner);

// Whether the kernel ends the process when the signal comes while nobody handles it.
bool EndsProcessByDefault(int signal);

// A standard signal is not queued: one that is sent while another of its number waits is dropped,
// unless a timer sends it.
inline bool IsQueued(int signal) { return signal >= SIGRTMIN; }

}  // namespace iprof::sampling
