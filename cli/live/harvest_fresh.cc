#include "cli/live/harvest_fresh.h"

#include <fmt/core.h>

#include "cli/live/agent_library.h"
#include "cli/live/program_wait.h"

namespace iprof::cli {

Result<FreshCounts> CountAnew(const jvm::Process& process, std::chrono::milliseconds time,
                              const jvm::AttachTimeouts& timeouts, const Console& console) {
  using Clock = std::chrono::steady_clock;
  const Result<control::Answer> answer =
      SendToLibrary({process.pid(), {}}, control::Refresh(), timeouts);
  if (!answer.ok()) return answer.status();
  if (answer->outcome != control::Outcome::kDone)
    return Status(Code::kUnsupported, fmt::format("{}: {}", process.Name(), answer->message));
  const Clock::time_point start = Clock::now();
  if (WaitFor(console, process, "HotSpot counts", time) == Ending::kProgramEnded) {
    return Status(Code::kIo, fmt::format("{} has ended before its fresh counters were harvested: "
                                         "nothing was written",
                                         process.Name()));
  }
  return FreshCounts{answer->message,
                     std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start)};
}

}  // namespace iprof::cli
