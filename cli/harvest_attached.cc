#include "cli/harvest_attached.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "cli/agent_library.h"
#include "cli/jvm/agent_control.h"
#include "cli/jvm/target_wait.h"
#include "cli/target_bytes.h"
#include "writer/io/reader.h"

namespace iprof::cli {

Result<Profile> HarvestAttached(const AttachedHarvest& wanted,
                                const jvm::AttachTimeouts& timeouts) {
  const jvm::HeldSignals held;  // until nothing is left in the target's /tmp
  const Result<std::string> library = FindAgentLibrary();
  if (!library.ok()) return library.status();
  jvm::AgentRequest request;
  request.verb = control::Verb::kHarvest;
  request.profile = jvm::ProfileForm::kPlain;
  request.estimate = wanted.estimate;
  request.receivers_max_lost = std::llround(wanted.max_lost * 1000);
  request.target = wanted.naming_jdk;
  request.library = *library;
  const std::string name = fmt::format("process {}", wanted.pid);
  const Result<jvm::AgentReply> reply = SendCommand({wanted.pid, {}}, request, timeouts);
  if (!reply.ok()) return reply.status();
  if (reply->answer.outcome != control::Outcome::kDone)
    return Status(Code::kUnsupported, name + ": " + reply->answer.message);
  if (!reply->profile.is_open()) return Status(Code::kIo, name + ": the agent wrote no profile");
  TargetBytes source(reply->profile, "the profile of " + name, timeouts.answer);
  return ReadProfile(source, "the profile of " + name);
}

}  // namespace iprof::cli
