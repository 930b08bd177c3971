// A library that is preloaded into a JVM. It measures the CPU time of the handlers of all sampling
// signals, for any profiler.
//
// Figures that profilers report about themselves cannot be compared. Here, one clock measures both:
// sigaction() installs a handler that reads the thread's CPU clock before and after the real one.
// If IPROF_HANDLER_CLOCK names a file, it gets two numbers at the end of the process: calls and
// nanoseconds, without the cost of reading the clock or the kernel's time for delivering a signal.
//
// sigaction() returns the real handler, so that callers see no difference. Handlers must be
// installed by one thread at a time.
#include <dlfcn.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

using Handler = void (*)(int, siginfo_t*, void*);
using Sigaction = int (*)(int, const struct sigaction*, struct sigaction*);

std::atomic<Handler> real_handlers[_NSIG + 1];
std::atomic<uint64_t> calls{0};
std::atomic<uint64_t> nanoseconds{0};

uint64_t ThreadCpuNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000U + static_cast<uint64_t>(now.tv_nsec);
}

void Clocked(int signal, siginfo_t* info, void* context) {
  const Handler real = real_handlers[signal].load(std::memory_order_acquire);
  if (real == nullptr) return;
  const uint64_t begin = ThreadCpuNs();
  real(signal, info, context);
  nanoseconds.fetch_add(ThreadCpuNs() - begin, std::memory_order_relaxed);
  calls.fetch_add(1, std::memory_order_relaxed);
}

Sigaction Real() {
  static const auto real = reinterpret_cast<Sigaction>(dlsym(RTLD_NEXT, "sigaction"));
  return real;
}

// The smallest difference between two consecutive readings.
uint64_t CostOfReading() {
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t begin = ThreadCpuNs();
    least = std::min(least, ThreadCpuNs() - begin);
  }
  return least;
}

struct Report {
  ~Report() {
    const char* path = std::getenv("IPROF_HANDLER_CLOCK");
    FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return;
    const uint64_t clock = CostOfReading() * calls;
    std::fprintf(file, "%" PRIu64 " %" PRIu64 "\n", calls.load(),
                 nanoseconds > clock ? nanoseconds - clock : 0);
    std::fclose(file);
  }
} report;

}  // namespace

extern "C" __attribute__((visibility("default"))) int sigaction(int signal,
                                                                const struct sigaction* action,
                                                                struct sigaction* before) noexcept {
  const bool clocked = signal == SIGPROF || signal == SIGURG || signal == SIGWINCH ||
                       (signal >= SIGRTMIN && signal <= SIGRTMAX);
  if (!clocked) return Real()(signal, action, before);
  const Handler handler_before = real_handlers[signal].load(std::memory_order_acquire);
  struct sigaction ours {};
  if (action != nullptr) {
    ours = *action;
    if ((action->sa_flags & SA_SIGINFO) != 0) {
      real_handlers[signal].store(action->sa_sigaction, std::memory_order_release);
      ours.sa_sigaction = Clocked;
    }
  }
  const int result = Real()(signal, action == nullptr ? nullptr : &ours, before);
  if (result == 0 && before != nullptr && (before->sa_flags & SA_SIGINFO) != 0 &&
      before->sa_sigaction == Clocked)
    before->sa_sigaction = handler_before;
  return result;
}
