#include "cli/live/session_options.h"

#include <fmt/core.h>

#include "cli/live/jvm_options.h"
#include "writer/profile/io/atomic_file.h"

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

Status SaveProfile(ByteSource& profile, const std::string& path) {
  // As the agent's own profiles.
  const auto file = AtomicFile::Create(path, SystemCalls::Real(), Readers::kOwner);
  if (!file.ok()) return file.status();
  char buffer[1 << 16];
  while (true) {
    const Result<size_t> count = profile.Read(buffer, sizeof buffer);
    if (!count.ok()) return count.status();
    if (*count == 0) return (*file)->Commit();
    const Status written = (*file)->Write({buffer, *count});
    if (!written.ok()) return written;
  }
}

Status NotSaved(const Status& why, pid_t jvm) {
  return {why.code(), fmt::format("{}; the agent keeps what it has recorded: 'iprof dump {} -o "
                                  "FILE' writes it",
                                  why.message(), jvm)};
}

control::Sent FormOf(const std::string& path) {
  return path.ends_with(".gz") ? control::Sent::kGzip : control::Sent::kPlain;
}

}  // namespace iprof::cli
