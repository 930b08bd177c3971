#include "cli/session_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/jvm_options.h"
#include "writer/io/atomic_file.h"

namespace iprof::cli {
void AddAddress(OptionList& options, jvm::AgentAddress& address) {
  AddPid(options, address.pid).Required(false);
  options
      .Add("--control", address.socket,
           "The agent's control socket (its option control=), by a path of this machine; then "
           "no process id is needed")
      .Takes("FILE");
}

Status CheckAddress(const jvm::AgentAddress& address) {
  if (address.pid != 0 || !address.socket.empty()) return Status();
  return Status(Code::kUsage, "pid is required ('iprof list' shows them), or --control");
}

std::string NameOf(const jvm::AgentAddress& address) {
  return address.pid != 0 ? fmt::format("process {}", address.pid) : address.socket;
}

Status SaveProfile(const jvm::OwnedFd& profile, const std::string& path) {
  // As the agent's own profiles.
  const auto file = AtomicFile::Create(path, SystemCalls::Real(), Readers::kOwner);
  if (!file.ok()) return file.status();
  char buffer[1 << 16];
  for (off_t at = 0;;) {
    const ssize_t n = pread(profile.get(), buffer, sizeof buffer, at);
    if (n == 0) return (*file)->Commit();
    if (n < 0) {
      return Status(Code::kIo,
                    fmt::format("cannot read what the agent wrote: {}", std::strerror(errno)));
    }
    at += n;
    const Status written = (*file)->Write({buffer, static_cast<size_t>(n)});
    if (!written.ok()) return written;
  }
}

Status NotSaved(const Status& why, pid_t jvm) {
  return {why.code(), fmt::format("{}; the agent keeps what it has recorded: 'iprof dump {} -o "
                                  "FILE' writes it",
                                  why.message(), jvm)};
}

jvm::ProfileForm FormOf(const std::string& path) {
  return path.ends_with(".gz") ? jvm::ProfileForm::kGzip : jvm::ProfileForm::kPlain;
}

}  // namespace iprof::cli
