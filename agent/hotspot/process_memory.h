// ProcessMemory: reads the memory of another process, or of this one, at any address.
//
// Guarantees: it does not fault, write, or stop the process. The process keeps running, so data
// that it changes during a read may be half old, half new.
// Permission: it needs the right to ptrace the process: the same user with
// kernel.yama.ptrace_scope=0, or CAP_SYS_PTRACE. A process may always read itself.
// Where process_vm_readv is not allowed (a seccomp filter) or missing, it reads /proc/PID/mem, which needs the same
// right, and which also reads pages that the process protects from itself.
// Threads: any.
// Failure: an address that is not mapped or not readable fails the read. Check returns a message
// with the reason.
#pragma once

#include <sys/types.h>

#include "agent/hotspot/memory.h"
#include "writer/base/status.h"

namespace iprof::hotspot {

class ProcessMemory final : public Memory {
 public:
  explicit ProcessMemory(pid_t pid);
  ~ProcessMemory() override;
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;

  bool Read(Address from, void* into, size_t size) const override;
  std::optional<std::string> Text(Address from, size_t most = 4096) const override;

  // Returns why the process cannot be read, or success. `at` must be an address that is mapped in
  // it.
  Status Check(Address at) const;

 private:
  // Reads the first of these bytes. Returns how many, or -1 with errno.
  ssize_t ReadSome(Address from, void* into, size_t size) const;

  const pid_t pid_;
  const int file_;  // /proc/PID/mem; -1: process_vm_readv is used
};

}  // namespace iprof::hotspot
