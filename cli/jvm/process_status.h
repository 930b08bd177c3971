// ProcessStatus: what the kernel says of a process in /proc/PID/status, as far as attaching needs it.
//
// Guarantees: pure on the file's text; any bytes may be given.
// Threads: any. Failure: none; what is missing or not understood has its default.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>
#include <vector>

namespace iprof::jvm {

struct ProcessStatus {
  int threads = 0;  // that have not ended, and the first one
  char state =
      '?';  // of the first thread: R running, S sleeping, T stopped, t traced, Z ended, X gone …
  uid_t uid = 0;              // effective, as this process's user namespace sees it
  gid_t gid = 0;              // effective
  std::vector<gid_t> groups;  // supplementary
  pid_t inner_pid = 0;        // in the process's own namespace: what the process takes for its pid
  pid_t thread_of = 0;        // the process, where this is another thread of it than the first
  bool catches_quit = false;  // SIGQUIT has a handler; without one it ends the process
  bool quit_is_pending = false;  // a SIGQUIT was sent and not taken yet
  // Threads of the kernel have none, nor has a process that is ending, or whose first thread has ended.
  bool has_memory = false;

  bool is_stopped() const { return state == 'T' || state == 't'; }
  // A process lives on without its first thread.
  bool has_ended() const { return (state == 'Z' && threads <= 1) || state == 'X' || state == 'x'; }
};

// Nothing where the text lacks the state, the ids or the signals. A kernel before 4.1 does not give
// inner pids; then it is `pid`.
std::optional<ProcessStatus> ParseProcessStatus(std::string_view text, pid_t pid);

}  // namespace iprof::jvm
