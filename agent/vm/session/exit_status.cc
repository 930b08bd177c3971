#include "agent/vm/session/exit_status.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace iprof::vm {
namespace {

std::atomic<int> new_status{0};

#ifdef __GLIBC__
void EndAgain() { std::exit(new_status.load()); }
#endif

}  // namespace

#ifdef __GLIBC__
void ReplaceExitStatus(int status) {
  if (new_status.exchange(status) == 0) static_cast<void>(std::atexit(EndAgain));
}
#else
void ReplaceExitStatus(int status) { new_status.store(status); }

// After all functions of atexit(3). What is left are destructors of libraries that were loaded before this one.
__attribute__((destructor)) static void EndWithNewStatus() {
  if (new_status.load() == 0) return;
  std::fflush(nullptr);
  _exit(new_status.load());
}
#endif

}  // namespace iprof::vm
