// What the agent says about itself: the answer to the command status. See agent.h.
#include <unistd.h>

#include <chrono>
#include <string_view>

#include "agent/vm/jvmti/attached_thread.h"
#include "agent/vm/session/agent.h"
#include "agent/vm/session/run_record.h"

namespace iprof::vm {
namespace {

using control::SessionStatus;

uint64_t Milliseconds(std::chrono::nanoseconds time) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

void AddRecords(const Options& options, SessionStatus& status) {
  for (const std::string_view table : TablesOf(options)) status.records.emplace_back(table);
}

void AddCounting(const Counting::Figures& figures, bool is_stopped, SessionStatus& status) {
  status.classes_counted = figures.sums.classes_counted;
  status.classes_left_alone = figures.sums.classes_left_alone;
  status.methods_counted = figures.sums.methods_counted;
  status.methods_left_out = figures.sums.methods_left_alone;
  status.counters = figures.counters;
  if (is_stopped) {
    status.hidden_classes_with_probes = figures.hidden_with_probes;
    status.other_classes_with_probes =
        figures.restorable ? figures.others_with_probes : figures.sums.classes_counted;
  }
  status.swap_batches = figures.swap.pauses;
  status.swap_pauses_beyond_budget = figures.swap.pauses_beyond_budget;
  status.swap_longest_pause_ms = Milliseconds(figures.swap.longest_pause);
  status.swap_total_pause_ms = Milliseconds(figures.swap.sum_of_pauses);
  if (const auto& freezing = figures.freezing) {
    status.freeze_rounds = freezing->rounds;
    status.freeze_swaps = freezing->swap.classes;
    status.freeze_longest_pause_ms = Milliseconds(freezing->swap.longest_pause);
    status.cost_permille = static_cast<uint64_t>(1000 * freezing->cost);
    // While nothing is recorded, all methods have their own code, and counting costs nothing.
    if (!is_stopped) {
      status.frozen_methods = freezing->methods;
      status.cost_now_permille = static_cast<uint64_t>(1000 * freezing->cost_now);
      for (const auto& [what, methods] : freezing->kept) status.kept.push_back({what, methods});
    }
  }
  const auto lose = [&](uint64_t count, std::string_view what) {
    if (count > 0) status.losses.push_back({std::string(what), count});
  };
  lose(figures.refusals, "requests for memory beyond the limit (memory=)");
  lose(figures.swap.refused, "classes that the JVM refused to change");
}

void AddSnapshots(const SurvivingFile::Figures& figures, bool is_stopped, SessionStatus& status) {
  status.raw = figures.path;
  if (!figures.why_none.empty())
    status.no_raw = figures.why_none + (is_stopped ? "" : "; it is tried again");
  status.raw_bytes = figures.file_bytes;
  status.snapshots = figures.snapshots;
  status.snapshot_ms = figures.last_ms;
  status.snapshot_cpu_us = figures.last_cpu_ns / 1'000;
  status.snapshots_cpu_ms = figures.cpu_ns / 1'000'000;
  const auto lose = [&](uint64_t count, std::string_view what) {
    if (count > 0) status.raw_losses.push_back({std::string(what), count});
  };
  lose(figures.failed, "snapshots that could not be written");
  lose(figures.skipped, "snapshots that would have had to wait for a profile");
  lose(figures.without_room, "records that the raw file has no room for (raw-max=)");
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
  const Session::Figures figures = current->figures();
  if (figures.counting) {
    AddCounting(*figures.counting, state == SessionState::kStopped, status);
    cpu_ns += figures.counting->cpu_ns;
  }
  if (figures.sampling) {
    status.samples = figures.sampling->samples;
    status.samples_lost = figures.sampling->failed;
    cpu_ns += figures.sampling->handler_ns;
    if (figures.sampling->failed > 0)
      status.losses.push_back({"samples whose stack could not be read", figures.sampling->failed});
  }
  status.methods_compiled_anew = figures.renewal.compiled_anew;
  if (figures.snapshots) {
    AddSnapshots(*figures.snapshots, state == SessionState::kStopped, status);
    cpu_ns += figures.snapshots->cpu_ns;
  }
  if (!figures.why_no_raw.empty()) status.no_raw = figures.why_no_raw;
  status.heap_bytes = figures.heap_bytes;
  status.native_bytes = figures.native_bytes;
  status.memory_limit_bytes = figures.memory_limit;
  status.agent_cpu_ms = cpu_ns / 1'000'000;
  return status;
}

}  // namespace iprof::vm
