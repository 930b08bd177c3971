#include "agent/sampling/core/thread_timer.h"

#include <catch2/catch.hpp>
#include <cerrno>

#include "agent/sampling/core/thread_slot.h"

namespace iprof::sampling {
namespace {

int destroyed = 0;
itimerspec armed{};

int CreateOk(clockid_t, sigevent*, timer_t*) { return 0; }
int CreateFails(clockid_t, sigevent*, timer_t*) { return errno = EAGAIN, -1; }
int SetOk(timer_t, int, const itimerspec* value, itimerspec*) { return armed = *value, 0; }
int SetFails(timer_t, int, const itimerspec*, itimerspec*) { return errno = EINVAL, -1; }
int Destroy(timer_t) { return ++destroyed, 0; }

TEST_CASE("the CPU clock of a thread is found by its kernel id") {
  timespec before{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  const uint64_t by_id = CpuTimeNs(CurrentTid());
  timespec after{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  const auto ns = [](const timespec& t) {
    return static_cast<uint64_t>(t.tv_sec) * 1000000000U + static_cast<uint64_t>(t.tv_nsec);
  };
  CHECK(ns(before) <= by_id);
  CHECK(by_id <= ns(after));
  CHECK(CpuTimeNs(0x3ffffff) == 0);
}

TEST_CASE("a timer expires first when it is told to, then every interval") {
  timer_t timer{};
  const TimerCalls calls{CreateOk, SetOk, Destroy};
  REQUIRE(ArmThreadTimer(calls, 1, SIGRTMIN, nullptr, 10000000, 345, &timer) == 0);
  CHECK(armed.it_value.tv_sec == 0);
  CHECK(armed.it_value.tv_nsec == 345);
  CHECK(armed.it_interval.tv_nsec == 10000000);
  REQUIRE(ArmThreadTimer(calls, 1, SIGRTMIN, nullptr, 2500000000, 1000000007, &timer) == 0);
  CHECK(armed.it_value.tv_sec == 1);
  CHECK(armed.it_value.tv_nsec == 7);
  CHECK(armed.it_interval.tv_sec == 2);
  CHECK(armed.it_interval.tv_nsec == 500000000);
}

TEST_CASE("failures come back as errno, and no timer leaks") {
  timer_t timer{};
  destroyed = 0;
  CHECK(ArmThreadTimer({CreateFails, SetOk, Destroy}, 1, SIGRTMIN, nullptr, 1, 0, &timer) ==
        EAGAIN);
  CHECK(destroyed == 0);
  CHECK(ArmThreadTimer({CreateOk, SetFails, Destroy}, 1, SIGRTMIN, nullptr, 1, 0, &timer) ==
        EINVAL);
  CHECK(destroyed == 1);
}

}  // namespace
}  // namespace iprof::sampling
