// MemoryRights: why the kernel does not let this process read another one's memory, and what helps.
//
// Guarantees: reads files only. Threads: any. Failure: what cannot be found out is not named.
#pragma once

#include "cli/jvm/process.h"

namespace iprof::jvm {

// For a process whose memory could not be read with EPERM: one sentence.
Status WhyUnreadable(const Process& process);

// The value of kernel.yama.ptrace_scope in this text, or -1.
int ParsePtraceScope(std::string_view text);

}  // namespace iprof::jvm
