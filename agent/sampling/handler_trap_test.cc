#include "agent/sampling/handler_trap.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <memory>

namespace iprof::sampling {
namespace {

#if defined(IPROF_TRAP_HANDLER_ALLOCATIONS)

template <typename Allocate>
int StatusOf(Allocate allocate) {
  const pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    const HandlerScope scope;
    allocate();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_CASE("a debug build aborts when the handler allocates, by malloc or by new") {
  CHECK(WTERMSIG(StatusOf([] { std::free(std::malloc(10)); })) == SIGABRT);
  CHECK(WTERMSIG(StatusOf([] { std::make_unique<int>(1).reset(); })) == SIGABRT);
  CHECK(StatusOf([] {}) == 0);
}

#endif

TEST_CASE("outside of the handler everybody may allocate") {
  { const HandlerScope scope; }
  CHECK(*std::make_unique<int>(3) == 3);
}

}  // namespace
}  // namespace iprof::sampling
