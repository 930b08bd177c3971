// ThreadTimer: a POSIX timer on the CPU clock of one thread, which signals that thread.
//
// Guarantees: an armed timer fires after each `interval` of CPU time that its thread uses; the
// caller chooses when it fires first. (The sampler uses a random part of the interval, so that
// threads are not in step.) Timers can be created for any thread of this process, by its kernel id.
// After Disarm() the timer does not exist. If the interval is shorter than the kernel's tick (1 to
// 10 ms), expiries come late and in bunches; the signal then carries the missed ones as overruns.
// Threads: any normal thread; one at a time per timer.
// Failure: returns an errno. EAGAIN (RLIMIT_SIGPENDING, or kernel memory) is worth a retry.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <time.h>

#include <cstdint>

namespace iprof::sampling {

// The system calls, replaceable in tests.
struct TimerCalls {
  int (*create)(clockid_t clock, sigevent* event, timer_t* timer);
  int (*settime)(timer_t timer, int flags, const itimerspec* value, itimerspec* old);
  int (*destroy)(timer_t timer);
};
const TimerCalls& SystemTimerCalls();

// The CPU clock of a thread of this process.
clockid_t CpuClockOf(pid_t tid);
// The CPU time that the thread has used; 0 if it has ended.
uint64_t CpuTimeNs(pid_t tid);

// Returns 0 or an errno. `cookie` is passed in the signal's si_value. `first_ns` is the time until
// the first expiry.
int ArmThreadTimer(const TimerCalls& calls, pid_t tid, int signal, void* cookie,
                   int64_t interval_ns, int64_t first_ns, timer_t* timer);
// Gives a timer another interval. Expiries that its thread has not been told of are lost.
void RearmThreadTimer(const TimerCalls& calls, timer_t timer, int64_t interval_ns,
                      int64_t first_ns);
void DisarmThreadTimer(const TimerCalls& calls, timer_t timer);

}  // namespace iprof::sampling
