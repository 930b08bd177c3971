#include "cli/jvm/memory_rights.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <string>

namespace iprof::jvm {
namespace {

int PtraceScope() {
  const OwnedFd fd(open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC));
  std::string text;
  constexpr size_t kMostBytes = 64;
  if (!fd.is_open() || !ReadAll(fd.get(), kMostBytes, text)) return -1;
  return ParsePtraceScope(text);
}

}  // namespace

int ParsePtraceScope(std::string_view text) {
  int scope = -1;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), scope);
  return parsed.ec == std::errc() ? scope : -1;
}

Status WhyUnreadable(const Process& process) {
  if (process.HasEnded()) return process.Ended();
  const Result<ProcessStatus> status = process.ReadStatus();
  const uid_t own = geteuid();
  if (own != 0 && status.ok() && status->uid != own) {
    return {Code::kIo, fmt::format("{} belongs to user {}, and iprof runs as {}: run it as root",
                                   process.Name(), UserName(status->uid), UserName(own))};
  }
  const int scope = PtraceScope();
  if (own != 0 && scope > 0) {
    return {Code::kIo,
            fmt::format(
                "the memory of {} may not be read: kernel.yama.ptrace_scope is {}: add --attach, "
                "run iprof as root or with CAP_SYS_PTRACE, or set kernel.yama.ptrace_scope=0",
                process.Name(), scope)};
  }
  return {
      Code::kIo,
      fmt::format("the memory of {} may not be read: add --attach; or in a container, run it with "
                  "--cap-add=SYS_PTRACE and with a seccomp profile that allows "
                  "process_vm_readv; else run iprof as root",
                  process.Name())};
}

}  // namespace iprof::jvm
