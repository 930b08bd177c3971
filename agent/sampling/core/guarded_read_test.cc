// HotSpot's guarded read inside our guarded call. The read is machine code: arch/guarded_read_*.cc.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "agent/sampling/core/crash_guard.h"

extern "C" int iprof_test_guarded_read(int* from, int otherwise);

namespace iprof::sampling {
namespace {

TEST_CASE("a guarded read of HotSpot's inside the guarded call is not taken for a crash") {
  REQUIRE(CrashGuard::Install().ok());
  void* bad = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(bad != MAP_FAILED);
  static auto* pool = new ThreadSlotPool(16);
  const pid_t child = fork();
  if (child == 0) {
    ThreadSlot* slot = pool->Acquire(CurrentTid());
    SetCurrentSlot(slot);
    const bool survived = CrashGuard::Guarded(
        slot, [](void* at) { iprof_test_guarded_read(static_cast<int*>(at), 1); }, bad);
    _exit(survived ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);  // from the handler in this program's main
}

}  // namespace
}  // namespace iprof::sampling
