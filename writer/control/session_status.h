// SessionStatus: what a running agent says about its session, and its JSON.
//
// It is called so because iprof::Status is the value of an error.
//
// Guarantees: the JSON is one flat object, its keys are the members' names, always in the same order, and
// reading it back gives the same status. Numbers beyond 2^63-1 are written as 2^63-1. The reader skips keys
// that it does not know; a key that is missing leaves the member at its default.
// Threads: any; pure. Failure: Read... returns false for anything else than such an object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "writer/profile/io/json_scanner.h"

namespace iprof::control {

// Something that the profile, or the raw file, will lack, in words, and how often that happened.
struct Loss {
  std::string what;
  uint64_t count = 0;
  bool operator==(const Loss&) const = default;
};

// Methods that keep their probes although they are hot.
struct KeptProbes {
  std::string why;
  uint64_t methods = 0;
  bool operator==(const KeptProbes&) const = default;
};

struct SessionStatus {
  std::string state;      // "idle", "starting", "recording", "stopping", "stopped", "ended" …
  uint64_t since_ms = 0;  // when that state began; ms since 1970
  uint64_t now_ms = 0;
  uint64_t pid = 0;  // in the JVM's own namespace
  // The number of the recording: a start and a reset begin another one. 0: no agent was started.
  uint64_t recording = 0;
  std::string agent_version;
  std::vector<std::string> records;  // "calls", "branches", "receivers", … "samples"

  uint64_t classes_counted = 0;
  uint64_t classes_left_alone = 0;
  uint64_t methods_counted = 0;
  uint64_t methods_left_out = 0;
  // After a stop: classes that cannot be changed back, and so keep their probes.
  uint64_t hidden_classes_with_probes = 0;
  uint64_t other_classes_with_probes = 0;

  uint64_t counters = 0;
  uint64_t samples = 0;
  uint64_t samples_lost = 0;
  uint64_t allocations = 0;  // that were sampled
  uint64_t lock_waits = 0;   // of at least the threshold
  uint64_t methods_compiled_anew =
      0;                      // hot ones, in the last recording, so that samples have precise lines
  uint64_t heap_bytes = 0;    // of the agent
  uint64_t native_bytes = 0;  // of the agent
  uint64_t memory_limit_bytes = 0;
  uint64_t agent_cpu_ms = 0;
  std::vector<Loss> losses;      // of the profile
  std::vector<Loss> raw_losses;  // of the raw file only: the profile lacks nothing of it
  std::string out;               // where the profile goes

  // The JVM's pauses while the last start or stop changed the classes.
  uint64_t swap_batches = 0;
  uint64_t swap_pauses_beyond_budget = 0;  // longer than pause=
  uint64_t swap_longest_pause_ms = 0;
  uint64_t swap_total_pause_ms = 0;

  // The raw file; empty: there is none now.
  std::string raw;
  std::string no_raw;  // why there is none; empty: there is one, or will be with the first snapshot
  uint64_t raw_bytes = 0;
  uint64_t snapshots = 0;         // that were written
  uint64_t snapshot_ms = 0;       // when the last one was taken; ms since 1970
  uint64_t snapshot_cpu_us = 0;   // of the last one
  uint64_t snapshots_cpu_ms = 0;  // of all

  // With count-until= or overhead=: methods without probes, what that took, and what counting costs, in
  // thousandths of the program's own time: since the last reset, and in the last second. While nothing is recorded,
  // all methods have their own code, so frozen_methods, cost_now_permille and `kept` say nothing.
  uint64_t frozen_methods = 0;
  uint64_t freeze_rounds = 0;
  uint64_t freeze_swaps = 0;  // of classes
  uint64_t freeze_longest_pause_ms = 0;
  uint64_t cost_permille = 0;
  uint64_t cost_least_permille = 0;  // in which range that is
  uint64_t cost_most_permille = 0;
  uint64_t cost_now_permille = 0;
  // Hot methods that keep their probes, with one of them.
  std::vector<KeptProbes> kept;

  bool operator==(const SessionStatus&) const = default;
};

// Calls number(key, member) or text(key, member) for each plain member, in the order of the JSON. Used by
// the JSON here and by what prints a status.
template <typename S, typename Number, typename Text>
void VisitPlainMembers(S& status, Number number, Text text) {
  text("state", status.state);
  number("since_ms", status.since_ms);
  number("now_ms", status.now_ms);
  number("pid", status.pid);
  number("recording", status.recording);
  text("agent_version", status.agent_version);
  number("classes_counted", status.classes_counted);
  number("classes_left_alone", status.classes_left_alone);
  number("methods_counted", status.methods_counted);
  number("methods_left_out", status.methods_left_out);
  number("hidden_classes_with_probes", status.hidden_classes_with_probes);
  number("other_classes_with_probes", status.other_classes_with_probes);
  number("counters", status.counters);
  number("samples", status.samples);
  number("samples_lost", status.samples_lost);
  number("allocations", status.allocations);
  number("lock_waits", status.lock_waits);
  number("methods_compiled_anew", status.methods_compiled_anew);
  number("heap_bytes", status.heap_bytes);
  number("native_bytes", status.native_bytes);
  number("memory_limit_bytes", status.memory_limit_bytes);
  number("agent_cpu_ms", status.agent_cpu_ms);
  text("out", status.out);
  number("swap_batches", status.swap_batches);
  number("swap_pauses_beyond_budget", status.swap_pauses_beyond_budget);
  number("swap_longest_pause_ms", status.swap_longest_pause_ms);
  number("swap_total_pause_ms", status.swap_total_pause_ms);
  text("raw", status.raw);
  text("no_raw", status.no_raw);
  number("raw_bytes", status.raw_bytes);
  number("snapshots", status.snapshots);
  number("snapshot_ms", status.snapshot_ms);
  number("snapshot_cpu_us", status.snapshot_cpu_us);
  number("snapshots_cpu_ms", status.snapshots_cpu_ms);
  number("frozen_methods", status.frozen_methods);
  number("freeze_rounds", status.freeze_rounds);
  number("freeze_swaps", status.freeze_swaps);
  number("freeze_longest_pause_ms", status.freeze_longest_pause_ms);
  number("cost_permille", status.cost_permille);
  number("cost_least_permille", status.cost_least_permille);
  number("cost_most_permille", status.cost_most_permille);
  number("cost_now_permille", status.cost_now_permille);
}

void AppendJson(const SessionStatus& status, std::string* out);
// Reads the object that comes next.
bool ReadJson(JsonScanner& json, SessionStatus* status);

}  // namespace iprof::control
