#include "agent/sampling/core/crash_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>

namespace iprof::sampling {
namespace {

ThreadSlot* TestSlot() {
  static auto* pool = new ThreadSlotPool(16);
  static ThreadSlot* slot = pool->Acquire(CurrentTid());
  SetCurrentSlot(slot);
  return slot;
}

void* Unmapped() {
  void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(page != MAP_FAILED);
  return page;
}

void ReadInt(void* at) { static_cast<void>(*static_cast<volatile int*>(at)); }

TEST_CASE("a fault inside is caught, again and again, and the signal mask is as before") {
  REQUIRE(CrashGuard::Install().ok());
  void* bad = Unmapped();
  for (int i = 0; i < 3; ++i) CHECK_FALSE(CrashGuard::Guarded(TestSlot(), ReadInt, bad));
  int fine = 7;
  CHECK(CrashGuard::Guarded(TestSlot(), ReadInt, &fine));
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  CHECK(sigismember(&now, SIGSEGV) == 0);
}

TEST_CASE("a fault outside goes to the handler from before, here the one of this program's main") {
  REQUIRE(CrashGuard::Install().ok());
  void* bad = Unmapped();
  const pid_t child = fork();
  if (child == 0) {
    ReadInt(bad);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
}

TEST_CASE("installing twice changes nothing") {
  REQUIRE(CrashGuard::Install().ok());
  struct sigaction first {};
  sigaction(SIGSEGV, nullptr, &first);
  REQUIRE(CrashGuard::Install().ok());
  struct sigaction second {};
  sigaction(SIGSEGV, nullptr, &second);
  CHECK(first.sa_sigaction == second.sa_sigaction);
}

}  // namespace
}  // namespace iprof::sampling
