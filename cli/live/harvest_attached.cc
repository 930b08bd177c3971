#include "cli/live/harvest_attached.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "cli/jvm/target_wait.h"
#include "cli/live/agent_library.h"
#include "writer/profile/io/reader.h"

namespace iprof::cli {

Result<Profile> HarvestAttached(const AttachedHarvest& wanted,
                                const jvm::AttachTimeouts& timeouts) {
  const jvm::HeldSignals held;  // until nothing is left in the target's /tmp
  const std::string name = fmt::format("process {}", wanted.pid);
  std::optional<Profile> harvested;
  const auto take = [&](ByteSource& source) {
    Result<Profile> read = ReadProfile(source, "the profile of " + name);
    if (read.ok()) harvested = std::move(*read);
    return read.status();
  };
  const control::Harvest wish{{.sent = control::Sent::kPlain},
                              wanted.estimate,
                              std::llround(wanted.max_lost * 1000),
                              wanted.naming_jdk};
  const Result<control::Answer> answer = SendToLibrary({wanted.pid, {}}, wish, timeouts, take);
  if (!answer.ok()) return answer.status();
  if (answer->outcome != control::Outcome::kDone)
    return Status(Code::kUnsupported, name + ": " + answer->message);
  if (!harvested) return Status(Code::kIo, name + ": the agent wrote no profile");
  return std::move(*harvested);
}

}  // namespace iprof::cli
