#include "cli/jvm/memory_rights.h"

#include <fmt/core.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <charconv>

#include "writer/base/small_file.h"

namespace iprof::jvm {
namespace {

constexpr int kNobodyMayTrace = 3;  // of kernel.yama.ptrace_scope

int PtraceScope() {
  return ParsePtraceScope(ReadSmallFile("/proc/sys/kernel/yama/ptrace_scope").value_or(""));
}

// Every process may read itself, unless the call is forbidden.
bool AllowsCall() {
  char from = 0;
  char to = 0;
  const iovec remote{&from, 1};
  const iovec local{&to, 1};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

bool HasCapability() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  if (syscall(SYS_capget, &header, data.data()) != 0) return false;
  return (data[CAP_TO_INDEX(CAP_SYS_PTRACE)].effective & CAP_TO_MASK(CAP_SYS_PTRACE)) != 0;
}

}  // namespace

int ParsePtraceScope(std::string_view text) {
  int scope = -1;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), scope);
  return parsed.ec == std::errc() ? scope : -1;
}

std::string ExplainUnreadable(const std::string& name, const ReadingRights& rights) {
  const std::string what = fmt::format("the memory of {} may not be read: ", name);
  const std::string_view rightful =
      rights.is_root ? "run iprof with CAP_SYS_PTRACE (in a container: --cap-add=SYS_PTRACE)"
                     : "run iprof as root or with CAP_SYS_PTRACE";
  const int scope = rights.ptrace_scope;
  if (scope >= kNobodyMayTrace)
    return what +
           fmt::format("kernel.yama.ptrace_scope is {}, which forbids it to all: add --attach",
                       scope);
  if (scope > 0 && !rights.has_capability) {
    return what + fmt::format(
                      "kernel.yama.ptrace_scope is {}: add --attach, {}, or set "
                      "kernel.yama.ptrace_scope=0",
                      scope, rightful);
  }
  if (!rights.has_capability) return what + fmt::format("add --attach, or {}", rightful);
  if (!rights.allows_call) {
    return what +
           "a seccomp filter forbids process_vm_readv, and /proc/PID/mem cannot be read: allow "
           "that "
           "call in the seccomp profile of the container, run 'iprof harvest' on its host, or add "
           "--attach";
  }
  return what + "a security module of the system forbids it: add --attach";
}

Status WhyUnreadable(const Process& process) {
  const Result<ProcessStatus> status = process.ReadStatus();
  if (!status.ok()) return status.status();
  if (status->has_ended() || !status->has_memory) return process.WithoutMemory();
  return {Code::kIo, ExplainUnreadable(process.Name(), {.allows_call = AllowsCall(),
                                                        .is_root = geteuid() == 0,
                                                        .has_capability = HasCapability(),
                                                        .ptrace_scope = PtraceScope()})};
}

}  // namespace iprof::jvm
