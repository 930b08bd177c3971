// Runs inside signal handlers: sigsetjmp, siglongjmp and pthread_sigmask only.
#include "agent/sampling/core/crash_guard.h"

#include <setjmp.h>
#include <signal.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

#include "agent/sampling/arch/adapter.h"

namespace iprof::sampling {
namespace {

struct Chained {
  int signal;
  struct sigaction before;
};
Chained chained[] = {{SIGSEGV, {}}, {SIGBUS, {}}};

void Chain(const Chained& to, siginfo_t* info, void* context) {
  const struct sigaction& before = to.before;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(to.signal, info, context);
  } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
    // Restore the default action: the instruction faults again, and nothing catches it. (If a
    // synchronous fault is ignored, it ends the process all the same.)
    struct sigaction again {};
    again.sa_handler = SIG_DFL;
    sigaction(to.signal, &again, nullptr);
  } else {
    before.sa_handler(to.signal);
  }
}

// HotSpot's SafeFetch reads memory that may be unmapped and relies on HotSpot's handler to skip the
// load. Such a fault is normal inside AsyncGetCallTrace and must reach that handler. The load is in
// a stub in the code cache on 17, and in a function of libjvm later.
bool IsSafeFetch(const siginfo_t* info, const ucontext_t& context) {
  const uintptr_t pc = ReadContext(context).pc;
  if (pc == 0 || pc == reinterpret_cast<uintptr_t>(info->si_addr))
    return false;  // a jump to an invalid address
  const Processor* processor = ThisProcessor();
  return processor != nullptr &&
         processor->IsGuardedRead(reinterpret_cast<const unsigned char*>(pc));
}

void OnFault(int signal, siginfo_t* info, void* context) {
  ThreadSlot* slot = CurrentSlot();
  if (slot != nullptr && slot->guard_armed.load(std::memory_order_relaxed) &&
      !IsSafeFetch(info, *static_cast<ucontext_t*>(context))) {
    slot->guard_armed.store(false, std::memory_order_relaxed);
    // sigsetjmp did not save the signal mask, because that would take a system call per sample. The
    // kernel saved it at the fault.
    pthread_sigmask(SIG_SETMASK, &static_cast<ucontext_t*>(context)->uc_sigmask, nullptr);
    siglongjmp(slot->escape, 1);
  }
  for (const Chained& each : chained)
    if (each.signal == signal) Chain(each, info, context);
}

}  // namespace

Status CrashGuard::Install() {
  static std::mutex lock;
  static bool installed = false;
  const std::lock_guard<std::mutex> guard(lock);
  if (installed) return Status();
  for (Chained& each : chained) {
    if (sigaction(each.signal, nullptr, &each.before) != 0) {
      return Status(Code::kIo, std::string("cannot read the handler of signal ") +
                                   std::to_string(each.signal) + ": " + std::strerror(errno));
    }
    // same flags and mask: the chained handler must see no difference
    struct sigaction ours = each.before;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = OnFault;
    if (sigaction(each.signal, &ours, nullptr) != 0) {
      return Status(Code::kIo, std::string("cannot set a handler for signal ") +
                                   std::to_string(each.signal) + ": " + std::strerror(errno));
    }
  }
  installed = true;
  return Status();
}

bool CrashGuard::Guarded(ThreadSlot* slot, void (*call)(void* argument), void* argument) noexcept {
  if (sigsetjmp(slot->escape, 0) != 0) return false;
  slot->guard_armed.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  call(argument);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  slot->guard_armed.store(false, std::memory_order_relaxed);
  return true;
}

}  // namespace iprof::sampling
