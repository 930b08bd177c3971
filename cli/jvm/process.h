// Process: one process of this machine, by its folder in /proc.
//
// Guarantees:
//  - It stays this process. When it ends and another one gets its number, reading fails and signals
//    are not sent.
//  - Paths that lead through its root (/proc/PID/root) stay within it: a symbolic link in a container
//    leads to where it leads for the container, never to a file of this machine.
// Threads: any. Failure: one sentence: no such process, it has ended, it belongs to another user.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "cli/jvm/process_status.h"
#include "writer/base/open_file.h"
#include "writer/base/status.h"

namespace iprof::jvm {

class Process {
 public:
  // Fails for a thread: its number is not one of a process.
  static Result<Process> Open(pid_t pid);

  pid_t pid() const { return pid_; }
  // "process 4711", for messages.
  std::string Name() const;

  // A file of its folder, whole: "maps", "cmdline".
  Result<std::string> Read(const char* file) const;
  // The same without a reason and without a wait for the process's end: empty where it cannot be read.
  std::string ReadIfReadable(const char* file) const;
  // A failure may have another reason than that the process has ended: see HasEnded.
  Result<ProcessStatus> ReadStatus() const;
  // What "root" or "cwd" leads to, as a folder for the calls that end in "at".
  Result<OwnedFd> OpenFolder(const char* link) const;
  // A file that it has mapped at exactly these addresses, also one that was removed. Not open where the kernel refuses.
  OwnedFd OpenMapping(uint64_t begin, uint64_t end) const;
  bool HasEnded() const;
  // Whether it has ended, or does so within half a second. A process that ends loses its memory, its folders and its connections
  // a moment before the kernel says that it has ended. An interrupt (HeldSignals) ends the wait.
  bool EndsNow() const;
  // Ok if it does not end within half a second and has memory then; otherwise what WithoutMemory says.
  Status LivesOn() const;
  // False when the kernel refuses.
  bool SendQuit() const;

  Status Ended() const;
  // It has ended, or lacks memory for another reason. To free the memory of a large process takes seconds.
  Status WithoutMemory() const;

 private:
  Process(pid_t pid, OwnedFd folder) : pid_(pid), folder_(std::move(folder)) {}
  // Nothing where the file cannot be read: errno says why.
  std::optional<std::string> StatusText() const;
  // The same as WithoutMemory, of a process that has been waited for.
  Status WithoutMemoryYet() const;
  // From errno: it has ended, or belongs to another user.
  Status Refused(int error, const char* what) const;

  pid_t pid_;
  OwnedFd folder_;
};

// The login name of a user of this machine, or the number.
std::string UserName(uid_t uid);

}  // namespace iprof::jvm
