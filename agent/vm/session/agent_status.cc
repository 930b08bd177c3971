// What the agent says about itself: the answer to the command status. See agent.h.
#include <unistd.h>

#include <chrono>
#include <string_view>

#include "agent/vm/jvmti/attached_thread.h"
#include "agent/vm/session/agent.h"
#include "agent/vm/session/dump/run_record.h"

namespace iprof::vm {
namespace {

using control::SessionStatus;

uint64_t Milliseconds(std::chrono::nanoseconds time) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

void AddRecords(const Options& options, SessionStatus& status) {
  for (const std::string_view table : TablesOf(options)) status.records.emplace_back(table);
}

}  // namespace

SessionStatus Agent::Describe() const {
  SessionStatus status;
  const SessionState state = life_.state();
  status.state = NameOf(state);
  status.since_ms = life_.since_ms();
  status.now_ms = Milliseconds(std::chrono::system_clock::now().time_since_epoch());
  status.pid = static_cast<uint64_t>(getpid());
  status.agent_version = IPROF_VERSION;
  const auto current = session();
  if (current == nullptr) return status;
  status.recording = recording_;
  if (HasUsersFile(*current))
    status.out = OutPath();  // what is in a tool's folder is not for users
  AddRecords(current->options(), status);
  uint64_t cpu_ns = EndedThreadsCpuNs();
  status.agent_cpu_ms = cpu_ns / 1'000'000;
  // Another thread may still be making the session's parts, or removing them after a failure.
  const bool is_complete =
      state != SessionState::kIdle && state != SessionState::kStarting && current->has_begun();
  if (!is_complete) return status;
  cpu_ns += current->AddTo(status, state == SessionState::kStopped);
  status.agent_cpu_ms = cpu_ns / 1'000'000;
  return status;
}

}  // namespace iprof::vm
