#include "cli/live/open_metrics.h"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "writer/base/join_text.h"
#include "writer/base/utf8.h"

namespace iprof::cli {
namespace {

using control::SessionStatus;

constexpr std::array<std::string_view, 7> kStates{"idle",    "starting", "recording", "stopping",
                                                  "stopped", "resuming", "ended"};

std::string Label(std::string_view name, std::string_view value) {
  return fmt::format("{}=\"{}\"", name, EscapeLabel(value));
}

class Exposition {
 public:
  explicit Exposition(std::string_view who)
      : who_(fmt::format("target=\"{}\"", EscapeLabel(who))) {}

  // `name` with its unit, if it has one, and without the suffix of its samples.
  void Family(std::string_view name, std::string_view type, std::string_view unit,
              std::string_view help) {
    text_ += fmt::format("# TYPE {} {}\n", name, type);
    if (!unit.empty()) text_ += fmt::format("# UNIT {} {}\n", name, unit);
    text_ += fmt::format("# HELP {} {}\n", name, help);
  }
  void Sample(std::string_view name, std::string_view value, std::string_view labels = {}) {
    text_ += fmt::format("{}{{{}{}{}}} {}\n", name, who_, labels.empty() ? "" : ",", labels, value);
  }
  void Gauge(std::string_view name, uint64_t value, std::string_view help) {
    Family(name, "gauge", "", help);
    Sample(name, std::to_string(value));
  }
  void Bytes(std::string_view name, uint64_t value, std::string_view help) {
    Family(name, "gauge", "bytes", help);
    Sample(name, std::to_string(value));
  }
  void Counter(std::string_view name, uint64_t value, std::string_view help) {
    Family(name, "counter", "", help);
    Sample(fmt::format("{}_total", name), std::to_string(value));
  }
  // Nothing if there are none: a family has samples.
  void Losses(std::string_view name, const std::vector<control::Loss>& losses,
              std::string_view help) {
    if (losses.empty()) return;
    Family(name, "counter", "", help);
    std::map<std::string, uint64_t> by_reason;  // a series must not come twice
    for (const control::Loss& loss : losses) by_reason[Label("reason", loss.what)] += loss.count;
    for (const auto& [label, count] : by_reason)
      Sample(fmt::format("{}_total", name), std::to_string(count), label);
  }
  std::string Finish() && { return std::move(text_) + "# EOF\n"; }

 private:
  const std::string who_;
  std::string text_;
};

std::string Seconds(uint64_t ms) { return fmt::format("{}.{:03}", ms / 1000, ms % 1000); }

}  // namespace

std::string EscapeLabel(std::string_view value) {
  constexpr uint32_t kReplacement = 0xfffd;
  std::string escaped;
  for (size_t at = 0; at < value.size();) {
    uint32_t code_point = 0;
    const size_t length = DecodeCodePoint(value, at, &code_point);
    const bool is_control = code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0);
    if (length != 0 && code_point == '\n') {
      escaped += "\\n";
    } else if (length == 0 || is_control || IsSurrogate(code_point)) {
      AppendCodePoint(kReplacement, &escaped);
    } else {
      if (code_point == '\\' || code_point == '"') escaped += '\\';
      escaped += value.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return escaped;
}

std::string OpenMetricsText(std::string_view who, const SessionStatus& status) {
  Exposition out(who);
  out.Family("iprof_agent", "info", "", "The agent and what it records.");
  const std::string records = JoinText(status.records, ",");
  out.Sample("iprof_agent_info", "1",
             fmt::format("{},{},{}", Label("version", status.agent_version),
                         Label("records", records), Label("out", status.out)));
  out.Family("iprof_state", "stateset", "", "What the agent does now.");
  for (const std::string_view state : kStates)
    out.Sample("iprof_state", state == status.state ? "1" : "0", Label("iprof_state", state));
  out.Family("iprof_state_since_timestamp_seconds", "gauge", "seconds", "When the state began.");
  out.Sample("iprof_state_since_timestamp_seconds", Seconds(status.since_ms));
  out.Gauge("iprof_classes_counted", status.classes_counted, "Classes with counters.");
  out.Gauge("iprof_classes_left_alone", status.classes_left_alone, "Classes without counters.");
  out.Gauge("iprof_methods_counted", status.methods_counted, "Methods with counters.");
  out.Gauge("iprof_methods_left_out", status.methods_left_out,
            "Methods without counters in classes with counters.");
  out.Gauge("iprof_hidden_classes_with_probes", status.hidden_classes_with_probes,
            "Hidden classes that keep their probes after a stop.");
  out.Gauge("iprof_other_classes_with_probes", status.other_classes_with_probes,
            "Other classes that keep their probes after a stop.");
  out.Gauge("iprof_counters", status.counters, "Counters in use.");
  // A reset begins again at 0, as a restart of the process would.
  out.Counter("iprof_samples", status.samples, "Samples taken.");
  out.Counter("iprof_samples_lost", status.samples_lost, "Samples whose stack could not be read.");
  out.Counter("iprof_allocations", status.allocations, "Allocations sampled.");
  out.Counter("iprof_lock_waits", status.lock_waits, "Waits for locks recorded.");
  out.Losses("iprof_losses", status.losses, "What the profile lacks, by reason.");
  out.Losses("iprof_raw_file_losses", status.raw_losses,
             "What the raw file lacks and the profile has, by reason.");
  out.Bytes("iprof_heap_bytes", status.heap_bytes, "Heap memory that the agent uses.");
  out.Bytes("iprof_native_bytes", status.native_bytes, "Native memory that the agent uses.");
  if (status.memory_limit_bytes != 0) {  // 0: nothing was recorded yet
    out.Bytes("iprof_memory_limit_bytes", status.memory_limit_bytes,
              "The most memory that the agent may use.");
  }
  out.Family("iprof_cpu_seconds", "counter", "seconds", "CPU time of the agent itself.");
  out.Sample("iprof_cpu_seconds_total", Seconds(status.agent_cpu_ms));
  out.Gauge("iprof_swap_pauses", status.swap_batches, "Pauses of the last start or stop.");
  out.Gauge("iprof_swap_pauses_beyond_budget", status.swap_pauses_beyond_budget,
            "Those of them that were longer than pause=.");
  out.Family("iprof_swap_longest_pause_seconds", "gauge", "seconds", "The longest of them.");
  out.Sample("iprof_swap_longest_pause_seconds", Seconds(status.swap_longest_pause_ms));
  out.Family("iprof_swap_pause_time_seconds", "gauge", "seconds", "All of them together.");
  out.Sample("iprof_swap_pause_time_seconds", Seconds(status.swap_total_pause_ms));
  if (!status.raw.empty()) {
    out.Bytes("iprof_raw_file_bytes", status.raw_bytes, "Size of the raw file.");
    out.Counter("iprof_snapshots", status.snapshots, "Snapshots written to the raw file.");
    out.Family("iprof_snapshot_timestamp_seconds", "gauge", "seconds",
               "When the last snapshot was taken.");
    out.Sample("iprof_snapshot_timestamp_seconds", Seconds(status.snapshot_ms));
    out.Family("iprof_snapshot_cpu_seconds", "counter", "seconds", "CPU time of all snapshots.");
    out.Sample("iprof_snapshot_cpu_seconds_total", Seconds(status.snapshots_cpu_ms));
  }
  return std::move(out).Finish();
}

}  // namespace iprof::cli
