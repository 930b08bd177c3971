// What iprof status prints, as text and as JSON.
#include "cli/live/session_report.h"

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>

namespace iprof::cli {
namespace {

using control::Answer;
using control::Outcome;
using control::SessionStatus;

SessionStatus Example() {
  SessionStatus status;
  status.state = "stopped";
  status.since_ms = 1'700'000'000'999;
  status.now_ms = 1'700'000'062'499;
  status.pid = 7;
  status.agent_version = "1.2.3";
  status.records = {"calls", "samples"};
  status.classes_counted = 999;
  status.classes_left_alone = 1'000;
  status.methods_counted = 1'234'567;
  status.methods_left_out = 0;
  status.counters = 12'345'678;
  status.samples = 100;
  status.samples_lost = 2;
  status.allocations = 7;
  status.lock_waits = 3;
  status.heap_bytes = 1 << 20;
  status.native_bytes = (1 << 20) + (1 << 19);
  status.memory_limit_bytes = 64 << 20;
  status.agent_cpu_ms = 1'250;
  return status;
}

// What is printed to standard output and to standard error.
struct Printed {
  std::string out;
  std::string err;
  ExitCode code;
};

std::string Content(FILE* file) {
  std::string text(10'000, '\0');
  text.resize(static_cast<size_t>(pread(fileno(file), text.data(), text.size(), 0)));
  fclose(file);
  return text;
}

Printed Report(const Answer& answer, bool as_json) {
  FILE* const out = tmpfile();
  FILE* const err = tmpfile();
  REQUIRE(out != nullptr);
  REQUIRE(err != nullptr);
  Printed printed;
  {
    Console console(fileno(out), fileno(err));
    printed.code = ReportAnswer(console, "process 4711", answer, as_json);
  }
  printed.out = Content(out);
  printed.err = Content(err);
  return printed;
}

// Each row on one line.
std::string Whole(const std::string& who, const SessionStatus& status) {
  return StatusText(who, status, kWholeLines);
}

TEST_CASE("a status as text") {
  CHECK(Whole("process 4711", Example()) ==
        "process 4711: stopped since 2023-11-14 22:13:20 UTC, for 61.5 s\n"
        "  records     calls, samples\n"
        "  classes     999 counted, 1,000 left alone\n"
        "  methods     1,234,567 counted, 0 left out\n"
        "  counters    12,345,678\n"
        "  samples     100, 2 lost\n"
        "  allocations 7 sampled\n"
        "  locks       3 waits recorded\n"
        "  memory      1.0 MiB heap and 1.5 MiB native, at most 64.0 MiB\n"
        "  agent CPU   1.2 s\n"
        "  agent       1.2.3\n");
}

TEST_CASE("an agent that has not recorded has no row about memory") {
  SessionStatus status = Example();
  status.memory_limit_bytes = 0;
  CHECK(Whole("process 4711", status).find("memory") == std::string::npos);
}

TEST_CASE("rows that a status has only where there is something to say") {
  SessionStatus status = Example();
  status.records.clear();
  status.hidden_classes_with_probes = 3;
  status.swap_batches = 4;
  status.swap_pauses_beyond_budget = 1;
  status.swap_longest_pause_ms = 56;
  status.swap_total_pause_ms = 78;
  status.losses = {{"things", 1'000}, {"others", 2}};
  status.raw_losses = {{"records of the raw file", 3}};
  status.out = "/tmp/x.iprof";
  status.raw = "/tmp/x.iraw";
  status.raw_bytes = 3 << 19;
  status.snapshots = 1'200;
  status.snapshot_ms = status.now_ms - 3'210;
  const std::string text = Whole("x", status);
  for (const char* row :
       {"\n  records     nothing\n", "\n  keep probes 3 hidden classes, 0 others\n",
        "\n  lost        1,000 things\n  lost        2 others\n",
        "\n  profile     /tmp/x.iprof\n"
        "  raw file    /tmp/x.iraw, 1.5 MiB, 1,200 snapshots, the last one 3.2 s ago\n"
        "  lost        3 records of the raw file\n"}) {
    INFO(row);
    CHECK(text.find(row) != std::string::npos);
  }
  CHECK(text.find(
            "\n  last swap   4 pauses, 1 of them beyond pause=, the longest 56 ms, 78 ms in all") !=
        std::string::npos);
}

TEST_CASE("a recording without a raw file says why, until it has one") {
  SessionStatus status = Example();
  CHECK(Whole("x", status).find("raw file") == std::string::npos);
  status.no_raw = "snapshot=0";
  CHECK(Whole("x", status).find("\n  raw file    none: snapshot=0\n") != std::string::npos);
}

// count-until= or overhead= was given.
SessionStatus Freezing(const char* state) {
  SessionStatus status = Example();
  status.state = state;
  status.frozen_methods = 1'234;
  status.freeze_rounds = 3;
  status.freeze_swaps = 77;
  status.freeze_longest_pause_ms = 12;
  status.cost_permille = 2'345;
  status.cost_least_permille = 1'200;
  status.cost_most_permille = 3'000;
  status.cost_now_permille = 7;
  status.kept = {{"a loop in the class runs all the time (Solo.main)", 3},
                 {"the callers are not counted (A.f)", 1}};
  return status;
}

TEST_CASE(
    "a status says which methods lost their probes, which keep them, and what counting costs") {
  const std::string text = Whole("x", Freezing("recording"));
  CHECK(
      text.find(
          "\n  no probes   1,234 methods, after 3 rounds that swapped 77 classes; the longest "
          "pause 12 ms\n"
          "  keep probes 3 hot methods: a loop in the class runs all the time (Solo.main)\n"
          "  keep probes 1 hot method: the callers are not counted (A.f)\n"
          "  cost        about 234.5 % (120 to 300 %) of the program's time in all, 0.7 % now\n") !=
      std::string::npos);
}

TEST_CASE("rows of a status fit the terminal, and paths are cut there only") {
  SessionStatus status = Freezing("recording");
  status.raw = "/var/lib/" + std::string(90, 'x') + "/app.iraw";
  const auto widest = [](const std::string& text) {
    size_t width = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) width = std::max(width, WidthOf(line));
    return width;
  };
  const std::string on_terminal = StatusText("x", status, {80, true});
  CHECK(widest(on_terminal) <= 80);
  CHECK(on_terminal.find(
            "\n  no probes   1,234 methods, after 3 rounds that swapped 77 classes; the longest\n"
            "              pause 12 ms\n") != std::string::npos);
  CHECK(on_terminal.find(status.raw) == std::string::npos);
  const std::string in_pipe = StatusText("x", status, Layout());
  CHECK(in_pipe.find("  raw file    " + status.raw + ",\n") != std::string::npos);
  status.raw = "/app.iraw";
  CHECK(widest(StatusText("x", status, Layout())) <= 80);
}

TEST_CASE("an agent that says no range of the cost has none") {
  SessionStatus status = Freezing("recording");
  status.cost_least_permille = status.cost_most_permille = 0;
  CHECK(Whole("x", status)
            .find("\n  cost        about 234.5 % of the program's time in all, 0.7 % now\n") !=
        std::string::npos);
}

TEST_CASE("while nothing is recorded, no method has probes, and counting costs nothing") {
  const std::string text = Whole("x", Freezing("stopped"));
  CHECK(text.find("\n  swaps       3 rounds that swapped 77 classes; the longest pause 12 ms\n"
                  "  cost        about 234.5 % (120 to 300 %) of the program's time in all\n") !=
        std::string::npos);
  for (const char* word : {"probes", "now", "Solo"}) CHECK(text.find(word) == std::string::npos);
}

TEST_CASE("no text in a status can control the terminal") {
  SessionStatus status = Example();
  const std::string bad = "\x1b[2J\r\n";
  status.state = status.agent_version = status.out = status.no_raw = bad;
  status.records = {bad};
  status.losses = status.raw_losses = {{bad, 1}};
  std::string text = Whole(bad, status);
  status.raw = bad;
  text += Whole(bad, status);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\r') == std::string::npos);
  SessionStatus freezing = Freezing("recording");
  freezing.kept = {{bad, 1}};
  CHECK(Whole("x", freezing).find('\x1b') == std::string::npos);
  // A clock that was set back is no reason for a huge time.
  status.now_ms = 1;
  CHECK(Whole("x", status).find(", for 0.0 s\n") != std::string::npos);
}

TEST_CASE("an answer as JSON is the agent's own, so that programs can read either") {
  Answer answer{"status", Outcome::kDone, "", Example()};
  answer.status->losses = {{"a \"thing\"", 5}};
  answer.status->raw_losses = {{"another \"thing\"", 7}};
  answer.status->kept = {{"a \"reason\"", 6}};
  const Printed printed = Report(answer, true);
  CHECK(printed.code == ExitCode::kOk);
  CHECK(printed.err.empty());
  std::string json = printed.out;
  REQUIRE(json.starts_with("{"));
  json.insert(1, "\"iprofagent\":1,");
  const Result<Answer> read = control::ParseAnswer(json);
  REQUIRE(read.ok());
  CHECK(read->command == "status");
  CHECK(read->outcome == Outcome::kDone);
  CHECK(read->status == answer.status);
}

TEST_CASE("an answer as text is one sentence") {
  const Printed done =
      Report({"stop", Outcome::kDone, "all classes are restored", Example()}, false);
  CHECK(done.out == "process 4711: all classes are restored\n");
  CHECK(Report({"start", Outcome::kDone, "", {}}, false).out == "process 4711: done\n");
  CHECK(Report({"status", Outcome::kDone, "", Example()}, false).out ==
        StatusText("process 4711", Example(), Layout()));
}

TEST_CASE("a refusal is an error in both forms") {
  const Answer refused{"stop", Outcome::kRefused, "nothing is being recorded", Example()};
  for (const bool as_json : {false, true}) {
    const Printed printed = Report(refused, as_json);
    CHECK(printed.code == ExitCodeOf(Code::kIo));
    CHECK(printed.err == "iprof: error: process 4711: nothing is being recorded\n");
    CHECK(printed.out.empty() != as_json);
    CHECK((printed.out.find("\"refused\"") != std::string::npos) == as_json);
  }
}

}  // namespace
}  // namespace iprof::cli
