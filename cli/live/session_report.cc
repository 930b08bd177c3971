#include "cli/live/session_report.h"

#include <fmt/core.h>

#include "cli/terminal/json_text.h"
#include "cli/terminal/terminal_text.h"
#include "writer/base/join_text.h"
#include "writer/base/utc_time.h"

namespace iprof::cli {
namespace {

using control::SessionStatus;

std::string Mebibytes(uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

std::string Seconds(uint64_t ms) { return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000); }

// "2026-11-22 23:12:01 UTC, for 192.4 s"
std::string Since(const SessionStatus& status) {
  const uint64_t elapsed = status.now_ms > status.since_ms ? status.now_ms - status.since_ms : 0;
  return fmt::format("{} UTC, for {}", UtcTextForPeople(static_cast<int64_t>(status.since_ms)),
                     Seconds(elapsed));
}

// "12 snapshots, the last one 3.2 s ago"
std::string Snapshots(const SessionStatus& status) {
  if (status.snapshots == 0) return "no snapshot yet";
  const uint64_t age = status.now_ms > status.snapshot_ms ? status.now_ms - status.snapshot_ms : 0;
  return fmt::format("{} snapshot{}, the last one {} ago", Grouped(status.snapshots),
                     status.snapshots == 1 ? "" : "s", Seconds(age));
}

// While nothing is recorded, all methods have their own code, and counting costs nothing.
template <typename Row>
void AddFreezing(const SessionStatus& status, Row row) {
  const bool records = status.state == "recording";
  std::string swaps =
      fmt::format("{} that swapped {}; the longest pause {} ms",
                  Counted(status.freeze_rounds, "round", "rounds"),
                  Counted(status.freeze_swaps, "class", "classes"), status.freeze_longest_pause_ms);
  // Agents of earlier builds know no range.
  const std::string range = status.cost_most_permille == 0
                                ? ""
                                : fmt::format(" ({:.0f} to {:.0f} %)",
                                              static_cast<double>(status.cost_least_permille) / 10,
                                              static_cast<double>(status.cost_most_permille) / 10);
  const std::string cost = fmt::format("about {:.1f} %{} of the program's time in all",
                                       static_cast<double>(status.cost_permille) / 10, range);
  if (!records) {
    row("swaps", swaps);
    row("cost", cost);
    return;
  }
  row("no probes",
      fmt::format("{}, after {}", Counted(status.frozen_methods, "method", "methods"), swaps));
  for (const control::KeptProbes& kept : status.kept) {
    row("keep probes", fmt::format("{}: {}", Counted(kept.methods, "hot method", "hot methods"),
                                   EscapeForTerminal(kept.why)));
  }
  row("cost",
      fmt::format("{}, {:.1f} % now", cost, static_cast<double>(status.cost_now_permille) / 10));
}

void PrintLosses(JsonText& json, std::string_view key, const std::vector<control::Loss>& losses) {
  json.Key(key);
  json.StartArray();
  for (const control::Loss& loss : losses) {
    json.StartObject();
    json.Field("what", loss.what);
    json.Field("count", static_cast<int64_t>(loss.count));
    json.EndObject();
  }
  json.EndArray();
}

void PrintStatusJson(JsonText& json, const SessionStatus& status) {
  json.StartObject();
  VisitPlainMembers(
      status,
      [&](std::string_view key, uint64_t number) { json.Field(key, static_cast<int64_t>(number)); },
      [&](std::string_view key, const std::string& text) { json.Field(key, text); });
  json.Key("records");
  json.StartArray();
  for (const std::string& record : status.records) json.String(record);
  json.EndArray();
  PrintLosses(json, "losses", status.losses);
  PrintLosses(json, "raw_losses", status.raw_losses);
  json.Key("kept");
  json.StartArray();
  for (const control::KeptProbes& kept : status.kept) {
    json.StartObject();
    json.Field("why", kept.why);
    json.Field("methods", static_cast<int64_t>(kept.methods));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void PrintJson(Console& console, const control::Answer& answer) {
  JsonText json(console);
  json.StartObject();
  json.Field("command", answer.command);
  json.Field("outcome", OutcomeName(answer.outcome));
  json.Field("message", answer.message);
  if (answer.status) {
    json.Key("status");
    PrintStatusJson(json, *answer.status);
  }
  json.EndObject();
}

}  // namespace

std::string StatusText(const std::string& who, const SessionStatus& status, const Layout& layout) {
  std::string text = Paragraph("",
                               fmt::format("{}: {} since {}", EscapeForTerminal(who),
                                           EscapeForTerminal(status.state), Since(status)),
                               layout);
  const auto row = [&](std::string_view name, const std::string& value) {
    text += Paragraph(fmt::format("  {:<12}", name), value, layout);
  };
  row("records",
      status.records.empty() ? "nothing" : EscapeForTerminal(JoinText(status.records, ", ")));
  row("classes", fmt::format("{} counted, {} left alone", Grouped(status.classes_counted),
                             Grouped(status.classes_left_alone)));
  row("methods", fmt::format("{} counted, {} left out", Grouped(status.methods_counted),
                             Grouped(status.methods_left_out)));
  if (status.hidden_classes_with_probes + status.other_classes_with_probes != 0) {
    row("keep probes",
        fmt::format("{}, {}",
                    Counted(status.hidden_classes_with_probes, "hidden class", "hidden classes"),
                    Counted(status.other_classes_with_probes, "other", "others")));
  }
  row("counters", Grouped(status.counters));
  row("samples", fmt::format("{}, {} lost{}", Grouped(status.samples), Grouped(status.samples_lost),
                             status.methods_compiled_anew == 0
                                 ? ""
                                 : fmt::format("; {} compiled again for precise lines",
                                               Counted(status.methods_compiled_anew,
                                                       "hot method was", "hot methods were"))));
  if (status.allocations != 0)
    row("allocations", fmt::format("{} sampled", Grouped(status.allocations)));
  if (status.lock_waits != 0)
    row("locks", fmt::format("{} recorded", Counted(status.lock_waits, "wait", "waits")));
  if (status.memory_limit_bytes != 0) {  // 0: nothing was recorded yet
    row("memory",
        fmt::format("{} heap and {} native, at most {}", Mebibytes(status.heap_bytes),
                    Mebibytes(status.native_bytes), Mebibytes(status.memory_limit_bytes)));
  }
  row("agent CPU", Seconds(status.agent_cpu_ms));
  if (status.swap_batches != 0) {
    row("last swap", fmt::format("{}, {} of them beyond pause=, the longest {} ms, {} ms in all",
                                 Counted(status.swap_batches, "pause", "pauses"),
                                 Grouped(status.swap_pauses_beyond_budget),
                                 status.swap_longest_pause_ms, status.swap_total_pause_ms));
  }
  if (status.freeze_rounds + status.cost_permille != 0) {
    AddFreezing(status, row);
  }
  const auto add_losses = [&](const std::vector<control::Loss>& losses) {
    for (const control::Loss& loss : losses)
      row("lost", fmt::format("{} {}", Grouped(loss.count), EscapeForTerminal(loss.what)));
  };
  add_losses(status.losses);
  if (!status.out.empty()) row("profile", EscapeForTerminal(status.out));
  if (!status.raw.empty()) {
    row("raw file", fmt::format("{}, {}, {}", EscapeForTerminal(status.raw),
                                Mebibytes(status.raw_bytes), Snapshots(status)));
  } else if (!status.no_raw.empty()) {
    row("raw file", "none: " + EscapeForTerminal(status.no_raw));
  }
  add_losses(status.raw_losses);
  row("agent", EscapeForTerminal(status.agent_version));
  return text;
}

ExitCode ReportAnswer(Console& console, const std::string& who, const control::Answer& answer,
                      bool as_json) {
  if (as_json) PrintJson(console, answer);
  if (answer.outcome != control::Outcome::kDone) {
    return console.Error(Status(Code::kIo, fmt::format("{}: {}", who, answer.message)));
  }
  if (as_json) return ExitCode::kOk;
  if (answer.command == "status" && answer.status) {
    console.Write(StatusText(who, *answer.status, LayoutOf(console)));
  } else {
    console.Print("{}: {}\n", EscapeForTerminal(who),
                  answer.message.empty() ? "done" : EscapeForTerminal(answer.message));
  }
  return ExitCode::kOk;
}

std::function<void(const control::Progress&)> ShownOn(Progress& line) {
  return [&line](const control::Progress& progress) {
    const bool is_stop = progress.step == control::Step::kClasses;
    line.Begin(is_stop ? "giving classes their own code back" : "making the profile");
    line.Update(progress.done, progress.all, "");
  };
}

}  // namespace iprof::cli
