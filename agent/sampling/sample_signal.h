// SampleSignal: which signal sampling uses, and owning it.
//
// Guarantees: a signal that somebody handles or ignores is never taken: asked for by name it is
// refused, else the next real-time signal is tried. Once taken, our handler stays installed for
// good (it does nothing when sampling is over): a signal under way then would otherwise meet the
// default action, which ends the process. The handler runs with every signal blocked but the
// synchronous ones (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP), so that no other profiler's handler
// runs inside ours; errno is the handler's duty.
//
// Who calls: a normal thread, one at a time.
#pragma once

#include <signal.h>

#include <string>
#include <string_view>

#include "writer/status.h"

namespace iprof::sampling {

using SampleHandler = void (*)(int signal, siginfo_t* info, void* context);

// "SIGPROF", "PROF", "SIGRTMIN+3", "RTMAX-1", "40": a signal that can be caught, else a failed
// Status.
Result<int> ParseSignal(std::string_view text);
std::string SignalName(int signal);

// Takes `wanted`, or a free real-time signal for 0. Taking our own again is fine.
Result<int> TakeSignal(int wanted, SampleHandler handler);

}  // namespace iprof::sampling
