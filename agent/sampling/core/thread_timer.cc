#include "agent/sampling/core/thread_timer.h"

#include <cerrno>

// Some versions of glibc's headers do not define this field name.
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace iprof::sampling {
namespace {

constexpr int64_t kNsPerSecond = 1000000000;

timespec Timespec(int64_t ns) {
  return {static_cast<time_t>(ns / kNsPerSecond), static_cast<long>(ns % kNsPerSecond)};
}

}  // namespace

const TimerCalls& SystemTimerCalls() {
  static const TimerCalls calls = {timer_create, timer_settime, timer_delete};
  return calls;
}

// The kernel's encoding of a per-thread CPU clock (CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED).
// pthread_getcpuclockid returns the same but needs a pthread_t, and of threads that existed before
// us we only know the kernel id.
clockid_t CpuClockOf(pid_t tid) {
  return static_cast<clockid_t>((~static_cast<uint32_t>(tid) << 3) | 6U);
}

uint64_t CpuTimeNs(pid_t tid) {
  timespec used{};
  if (clock_gettime(CpuClockOf(tid), &used) != 0) return 0;
  return static_cast<uint64_t>(used.tv_sec) * kNsPerSecond + static_cast<uint64_t>(used.tv_nsec);
}

int ArmThreadTimer(const TimerCalls& calls, pid_t tid, int signal, void* cookie,
                   int64_t interval_ns, int64_t first_ns, timer_t* timer) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event.sigev_value.sival_ptr = cookie;
  event.sigev_notify_thread_id = tid;
  if (calls.create(CpuClockOf(tid), &event, timer) != 0) return errno;
  const itimerspec value{Timespec(interval_ns), Timespec(first_ns)};
  if (calls.settime(*timer, 0, &value, nullptr) == 0) return 0;
  const int error = errno;
  calls.destroy(*timer);
  return error;
}

// It can fail only for a timer that does not exist, or for a thread that has ended.
void RearmThreadTimer(const TimerCalls& calls, timer_t timer, int64_t interval_ns,
                      int64_t first_ns) {
  const itimerspec value{Timespec(interval_ns), Timespec(first_ns)};
  calls.settime(timer, 0, &value, nullptr);
}

void DisarmThreadTimer(const TimerCalls& calls, timer_t timer) { calls.destroy(timer); }

}  // namespace iprof::sampling
