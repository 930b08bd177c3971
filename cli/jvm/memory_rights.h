// MemoryRights: why the kernel does not let this process read another one's memory, and what helps.
//
// Guarantees: reads files, and a byte of its own memory. Threads: any. Failure: what cannot be found out is not named.
#pragma once

#include <string>
#include <string_view>

#include "cli/jvm/process.h"

namespace iprof::jvm {

// What decides whether a process that may be looked into may also be read.
struct ReadingRights {
  bool allows_call =
      true;  // process_vm_readv works on this process itself; else seccomp forbids it, and
             // /proc/PID/mem, which needs the same rights, was tried
  bool is_root = false;         // this process
  bool has_capability = false;  // CAP_SYS_PTRACE
  int ptrace_scope = -1;        // kernel.yama.ptrace_scope; -1: the kernel has no yama
};

// For a process whose memory could not be read: one sentence. Where it has no memory any more, that is the reason.
Status WhyUnreadable(const Process& process);

// The same, with these rights; `name` is "process 4711".
std::string ExplainUnreadable(const std::string& name, const ReadingRights& rights);

// The value of kernel.yama.ptrace_scope in this text, or -1.
int ParsePtraceScope(std::string_view text);

}  // namespace iprof::jvm
