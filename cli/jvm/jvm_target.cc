#include "cli/jvm/jvm_target.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <utility>

#include "cli/jvm/mapped_files.h"
#include "cli/jvm/target_wait.h"

namespace iprof::jvm {
namespace {

constexpr std::chrono::seconds kMostUnnamed{1};

enum class Stage : uint8_t {
  kUnnamed,   // its program has no name, as for a moment while the kernel puts it into the process
  kLauncher,  // its program is the java launcher, which loads the JVM soon after it starts
  kFinal,     // it has loaded one, or never will
};

Stage StageOf(const Process& process) {
  const Result<std::string> maps = process.Read("maps");
  if (!maps.ok() || KindOfJvm(MappedFiles(*maps)) != JvmKind::kNone) return Stage::kFinal;
  const Result<std::string> arguments = process.Read("cmdline");
  if (!arguments.ok()) return Stage::kFinal;
  const std::string program = arguments->substr(0, arguments->find('\0'));
  if (program.empty()) return Stage::kUnnamed;
  return program == "java" || program.ends_with("/java") ? Stage::kLauncher : Stage::kFinal;
}

// Waits until the process has loaded a JVM, if it looks as if it would.
void WaitForJvm(const Process& process, std::chrono::milliseconds most) {
  TargetWait wait(process, most);
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    const Stage stage = StageOf(process);
    if (stage == Stage::kFinal) return;
    const bool is_unnamed = stage == Stage::kUnnamed;
    if (is_unnamed && std::chrono::steady_clock::now() - start > kMostUnnamed) return;
    if (!wait.Pause().ok()) return;
  }
}

}  // namespace

Result<JvmTarget> JvmTarget::Open(pid_t pid, std::chrono::milliseconds most) {
  Result<Process> process = Process::Open(pid);
  if (!process.ok()) return process.status();
  WaitForJvm(*process, most);
  Result<RunningJvm> jvm = LookAt(*process);
  if (!jvm.ok()) return jvm.status();
  const Result<ProcessStatus> status = process->ReadStatus();
  if (!status.ok()) return status.status();
  Result<OwnedFd> root = process->OpenFolder("root");
  if (!root.ok()) return root.status();
  Result<OwnedFd> tmp = OpenWithin(root->get(), "/tmp", O_PATH, FileKind::kFolder);
  if (!tmp.ok()) {
    return Status(Code::kIo, fmt::format("cannot open the /tmp of {}: {}", process->Name(),
                                         tmp.status().message()));
  }
  Result<OwnedFd> cwd = process->OpenFolder("cwd");
  return JvmTarget{std::move(*process), *status,         std::move(*jvm),
                   std::move(*root),    std::move(*tmp), cwd.ok() ? std::move(*cwd) : OwnedFd()};
}

}  // namespace iprof::jvm
