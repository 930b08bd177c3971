#include "agent/sampling/sources/queued_signal.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "agent/sampling/core/sample_handler.h"

namespace iprof::sampling {

int QueueSignal(pid_t tid, int signal, ThreadSlot* slot) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_errno = kQueuedMark;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = slot;
  return syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, signal, &info) == 0 ? 0 : errno;
}

}  // namespace iprof::sampling
