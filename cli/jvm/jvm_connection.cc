#include "cli/jvm/jvm_connection.h"

#include <fmt/core.h>

#include <utility>

#include "cli/jvm/attach_socket.h"
#include "cli/jvm/placed_library.h"
#include "cli/jvm/target_wait.h"

namespace iprof::jvm {

Result<JvmConnection> JvmConnection::Open(pid_t pid, const AttachTimeouts& timeouts) {
  Result<JvmTarget> opened = JvmTarget::Open(pid, timeouts.listen);
  if (!opened.ok()) return opened.status();
  return Open(std::make_shared<JvmTarget>(std::move(*opened)), timeouts);
}

Result<JvmConnection> JvmConnection::Open(std::shared_ptr<JvmTarget> target,
                                          const AttachTimeouts& timeouts) {
  if (target->jvm.attach_disabled) {
    return Status(Code::kUnsupported,
                  fmt::format("{} runs with -XX:+DisableAttachMechanism, which forbids attaching: "
                              "start it with -agentpath, or without that flag",
                              target->process.Name()));
  }
  TargetWait wait(target->process, timeouts.listen);
  if (Status status = WakeListener(*target, wait); !status.ok()) return status;
  // It listens before it is ready for agents. A JVM without hsperfdata does not say so; then its agent refuses.
  Result<RunningJvm> now = LookAt(target->process);
  while (now.ok() && now->is_starting) {
    if (Status status = wait.Pause(); !status.ok()) return status;
    now = LookAt(target->process);
  }
  if (!now.ok()) return now.status();
  target->jvm = std::move(*now);
  return JvmConnection(std::move(target), timeouts);
}

Status JvmConnection::About(const Status& failure) const {
  return Status(failure.code(), fmt::format("{}: {}", target_->process.Name(), failure.message()));
}

Result<Answer> JvmConnection::Send(ProtocolVersion version, const RequestWords& words) const {
  const Result<std::string> request = EncodeRequest(version, words);
  if (!request.ok()) return About(request.status());
  TargetWait wait(target_->process, timeouts_.answer);
  const Result<std::string> bytes = Exchange(*target_, *request, wait);
  if (!bytes.ok()) return bytes.status();
  Result<Answer> answer = ParseAnswer(*bytes);
  if (!answer.ok()) return About(answer.status());
  // HotSpot sends the code before the text, and can end in between. An answer to "load" always has a text.
  if (answer->text.empty() && words.front() == "load" && target_->process.EndsNow()) {
    return target_->process.Ended();
  }
  return answer;
}

Result<ProtocolVersion> JvmConnection::VersionFor(const RequestWords& words) const {
  if (FitsVersion1(words)) return ProtocolVersion::k1;
  const Result<Answer> version = Send(ProtocolVersion::k1, {"getversion"});
  if (!version.ok()) return version.status();
  return VersionIn(*version);
}

bool JvmConnection::Takes(const RequestWords& words) const {
  const Result<ProtocolVersion> version = VersionFor(words);
  return version.ok() && EncodeRequest(*version, words).ok();
}

Result<Answer> JvmConnection::Request(const RequestWords& words) {
  const Result<ProtocolVersion> version = VersionFor(words);
  return version.ok() ? Send(*version, words) : version.status();
}

Status JvmConnection::Load(const std::string& library, const std::string& options) {
  const HeldSignals held;  // until the copy of the library is removed
  const Result<PlacedLibrary> placed = PlacedLibrary::Place(*target_, library);
  if (!placed.ok()) return placed.status();
  // "true": the path is the file's whole name.
  const Result<Answer> answer = Request({"load", placed->path(), "true", options});
  if (!answer.ok()) return answer.status();
  const Status verdict = JudgeLoad(*answer, placed->path());
  return verdict.ok() ? verdict : About(verdict);
}

}  // namespace iprof::jvm
