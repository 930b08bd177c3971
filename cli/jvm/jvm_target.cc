#include "cli/jvm/jvm_target.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/jvm/mapped_files.h"
#include "cli/jvm/target_wait.h"

namespace iprof::jvm {
namespace {

// Whether its program is the java launcher, which loads the JVM soon after it starts, and it has not
// loaded one yet. Only such a process can become a JVM.
bool IsBeforeItsJvm(const Process& process) {
  const Result<std::string> maps = process.Read("maps");
  if (!maps.ok() || KindOfJvm(MappedFiles(*maps)) != JvmKind::kNone) return false;
  const Result<std::string> arguments = process.Read("cmdline");
  if (!arguments.ok()) return false;
  const std::string program = arguments->substr(0, arguments->find('\0'));
  return program == "java" || program.ends_with("/java");
}

}  // namespace

Result<JvmTarget> JvmTarget::Open(pid_t pid, std::chrono::milliseconds most) {
  Result<Process> process = Process::Open(pid);
  if (!process.ok()) return process.status();
  TargetWait wait(*process, most);
  while (IsBeforeItsJvm(*process) && wait.Pause().ok()) continue;
  Result<RunningJvm> jvm = LookAt(*process);
  if (!jvm.ok()) return jvm.status();
  const Result<ProcessStatus> status = process->ReadStatus();
  if (!status.ok()) return status.status();
  Result<OwnedFd> root = process->OpenFolder("root");
  if (!root.ok()) return root.status();
  OwnedFd tmp = OpenWithin(root->get(), "/tmp", O_PATH | O_DIRECTORY);
  if (!tmp.is_open()) {
    return Status(Code::kIo, fmt::format("cannot open the /tmp of {}: {}", process->Name(),
                                         std::strerror(errno)));
  }
  Result<OwnedFd> cwd = process->OpenFolder("cwd");
  return JvmTarget{std::move(*process), *status,        std::move(*jvm),
                   std::move(*root),    std::move(tmp), cwd.ok() ? std::move(*cwd) : OwnedFd()};
}

}  // namespace iprof::jvm
