#include "agent/vm/session/exit_status.h"

#include <atomic>
#include <cstdlib>

namespace iprof::vm {
namespace {

std::atomic<int> new_status{0};

void EndAgain() { std::exit(new_status.load()); }

}  // namespace

void ReplaceExitStatus(int status) {
  if (new_status.exchange(status) == 0) static_cast<void>(std::atexit(EndAgain));
}

}  // namespace iprof::vm
