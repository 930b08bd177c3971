#include "agent/sampling/core/handler_trap.h"

#if defined(IPROF_TRAP_HANDLER_ALLOCATIONS)

#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace iprof::sampling {
namespace {

__attribute__((tls_model("initial-exec"))) thread_local bool in_handler = false;

void Check() {
  if (!in_handler) return;
  in_handler = false;
  static const char kMessage[] = "iprofagent: allocation inside the sampling signal handler\n";
  const ssize_t written = write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  static_cast<void>(written);
  std::abort();
}

}  // namespace

HandlerScope::HandlerScope() noexcept : before_(in_handler) { in_handler = true; }
HandlerScope::~HandlerScope() noexcept { in_handler = before_; }

}  // namespace iprof::sampling

// The linker prescribes the names: --wrap=f turns calls of f into calls of __wrap_f, and calls of
// __real_f into calls of f.
#define IPROF_WRAP(result, name, parameters, arguments) \
  result __real_##name parameters;                      \
  result __wrap_##name parameters {                     \
    iprof::sampling::Check();                           \
    return __real_##name arguments;                     \
  }

extern "C" {
IPROF_WRAP(void*, malloc, (size_t size), (size))
IPROF_WRAP(void*, calloc, (size_t count, size_t size), (count, size))
IPROF_WRAP(void*, realloc, (void* memory, size_t size), (memory, size))
IPROF_WRAP(void, free, (void* memory), (memory))
IPROF_WRAP(void*, _Znwm, (size_t size), (size))
IPROF_WRAP(void*, _Znam, (size_t size), (size))
IPROF_WRAP(void, _ZdlPv, (void* memory), (memory))
IPROF_WRAP(void, _ZdlPvm, (void* memory, size_t size), (memory, size))
IPROF_WRAP(void, _ZdaPv, (void* memory), (memory))
}

#endif
