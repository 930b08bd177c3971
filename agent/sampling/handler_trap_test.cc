#include "agent/sampling/core/handler_trap.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>

#include "agent/sampling/sampler.h"

namespace iprof::sampling {
namespace {

#if defined(IPROF_TRAP_HANDLER_ALLOCATIONS)

struct End {
  int status = 0;
  std::string said;  // its output on stderr
};

// Runs the body in a child process and returns how that ended.
template <typename Body>
End EndOf(Body body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    body();
    _exit(0);
  }
  close(ends[1]);
  End end;
  char buffer[256];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof(buffer))) > 0;)
    end.said.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  waitpid(child, &end.status, 0);
  return end;
}

void CheckTrapped(const End& end) {
  CHECK(WIFSIGNALED(end.status));
  CHECK(WTERMSIG(end.status) == SIGABRT);
  CHECK(end.said == "iprofagent: allocation inside the sampling signal handler\n");
}

template <typename Allocate>
End EndInScope(Allocate allocate) {
  return EndOf([&] {
    const HandlerScope scope;
    allocate();
  });
}

void* volatile kept = nullptr;
int trap_test_method = 0;  // its address serves as a method

TEST_CASE("a debug build aborts when the handler allocates or frees", "[trap]") {
  CheckTrapped(EndInScope([] { kept = std::malloc(10); }));
  CheckTrapped(EndInScope([] { kept = std::calloc(1, 10); }));
  CheckTrapped(EndInScope([] { kept = ::operator new(10); }));
  CheckTrapped(EndInScope([] { kept = new char[10]; }));
  kept = std::malloc(10);
  CheckTrapped(EndInScope([] { kept = std::realloc(kept, 20); }));
  CheckTrapped(EndInScope([] { std::free(kept); }));
  std::free(kept);
  const End well = EndInScope([] {});
  CHECK(well.status == 0);
  CHECK(well.said.empty());
}

// Samples one thread until it has twenty samples. The test decides what the trace function does.
void SampleOnce(AsyncGetCallTraceFn trace) {
  SamplerOptions options;
  options.interval_ns = 1000000;
  options.memory_bytes = 1 << 20;
  SamplerHooks hooks;
  hooks.get_call_trace = trace;
  hooks.current_env = [] { return static_cast<void*>(nullptr); };
  auto sampler = Sampler::Start(options, hooks);
  if (!sampler.ok()) _exit(1);
  (*sampler)->ThreadStarted(reinterpret_cast<void*>(0x1000));
  volatile uint64_t sink = 0;
  while ((*sampler)->stats().received < 20)
    for (int i = 0; i < 100000; ++i) sink = sink + 1;
}

TEST_CASE("the real handler is trapped, too, and allocates nothing itself", "[trap]") {
  CheckTrapped(EndOf([] {
    SampleOnce([](CallTrace* trace, int32_t, void*) {
      kept = std::malloc(10);
      trace->num_frames = 0;
    });
  }));
  const AsyncGetCallTraceFn traces[] = {
      [](CallTrace* trace, int32_t, void*) {
        trace->num_frames = 1;
        trace->frames[0] = {7, &trap_test_method};
      },
      [](CallTrace* trace, int32_t, void*) { trace->num_frames = -5; },  // to be recovered
      [](CallTrace* trace, int32_t, void*) { trace->num_frames = -3; }};
  for (const AsyncGetCallTraceFn trace : traces) {
    const End well = EndOf([trace] { SampleOnce(trace); });
    CHECK(well.status == 0);
    CHECK(well.said.empty());
  }
}

#endif

TEST_CASE("outside of the handler everybody may allocate") {
  { const HandlerScope scope; }
  CHECK(*std::make_unique<int>(3) == 3);
}

}  // namespace
}  // namespace iprof::sampling
