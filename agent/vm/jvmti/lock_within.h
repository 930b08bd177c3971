// LockWithin: takes a timed mutex, or gives up when the time is over; the result says which.
//
// Why not the lock's own constructor: it waits by the steady clock, through pthread_mutex_clocklock, which
// g++ 12's ThreadSanitizer does not know. It then takes the unlock for a mistake, so under it, and
// only there, the wait goes by the clock that can be set.
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
