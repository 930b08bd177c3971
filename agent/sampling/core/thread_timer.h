// ThreadTimer: one POSIX timer on the CPU clock of one thread, which signals that thread.
//
// Guarantees: an armed timer fires each `interval` of CPU time that its thread uses, the first time
// when it is told to (the sampler takes a random part of the interval, so that threads do not march
// in step). Timers can be made for any thread of this process, by its kernel id. No timer outlives
// Disarm().
//
// On failure the result carries the errno: EAGAIN (RLIMIT_SIGPENDING, or the kernel's memory) is
// worth a retry. Below the kernel's tick (1 to 10 ms) expiries come late and in bunches; the signal
// then carries the missed ones as overruns.
//
// Who calls: any normal thread; the same timer from one thread at a time.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <time.h>

#include <cstdint>

namespace iprof::sampling {

// The seam for tests: what the system does.
struct TimerCalls {
  int (*create)(clockid_t clock, sigevent* event, timer_t* timer);
  int (*settime)(timer_t timer, int flags, const itimerspec* value, itimerspec* old);
  int (*destroy)(timer_t timer);
};
const TimerCalls& SystemTimerCalls();

// The CPU clock of a thread of this process.
clockid_t CpuClockOf(pid_t tid);
// CPU time that it used; 0 when it is gone.
uint64_t CpuTimeNs(pid_t tid);

// 0 or an errno. `cookie` comes back in the signal's si_value. `first_ns`: until the first expiry.
int ArmThreadTimer(const TimerCalls& calls, pid_t tid, int signal, void* cookie,
                   int64_t interval_ns, int64_t first_ns, timer_t* timer);
void DisarmThreadTimer(const TimerCalls& calls, timer_t timer);

}  // namespace iprof::sampling
