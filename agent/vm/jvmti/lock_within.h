// LockWithin: locks a timed mutex, or gives up when the time is over.
//
// Why: the lock's own constructor waits on the steady clock, with pthread_mutex_clocklock. g++ 12's
// ThreadSanitizer does not know that function and reports the unlock as an error. So under
// ThreadSanitizer, and only there, the wait uses the system clock.
//
// Guarantees: the result owns the lock if and only if it was taken in time. Threads: any. Failure:
// a result that does not own the lock.
#pragma once

#include <chrono>
#include <mutex>

namespace iprof::vm {

#ifdef __SANITIZE_THREAD__
using PatienceClock = std::chrono::system_clock;
#else
using PatienceClock = std::chrono::steady_clock;
#endif

inline std::unique_lock<std::timed_mutex> LockWithin(std::timed_mutex& mutex,
                                                     std::chrono::milliseconds patience) {
  return std::unique_lock(mutex, PatienceClock::now() + patience);
}

}  // namespace iprof::vm
