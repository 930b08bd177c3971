// The metrics of a status, held against the rules of OpenMetrics 1.0.
#include "cli/live/open_metrics.h"

#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace iprof::cli {
namespace {

using control::SessionStatus;

SessionStatus Example() {
  SessionStatus status;
  status.state = "recording";
  status.since_ms = 1'700'000'000'999;
  status.agent_version = "1.2.3";
  status.records = {"calls", "samples"};
  status.classes_counted = 999;
  status.counters = 12'345'678;
  status.samples = 100;
  status.samples_lost = 2;
  status.allocations = 7;
  status.lock_waits = 3;
  status.heap_bytes = 1 << 20;
  status.memory_limit_bytes = UINT64_MAX;
  status.agent_cpu_ms = 1'250;
  status.losses = {{"things", 7}, {"others \"here\"", 2}, {"things", 1}};
  status.raw_losses = {{"records without room", 5}};
  status.out = "/tmp/a\\b\n.iprof";
  status.raw = "/tmp/a.iraw";
  status.raw_bytes = 4096;
  status.snapshots = 12;
  status.snapshot_ms = 1'700'000'060'001;
  status.snapshots_cpu_ms = 30;
  return status;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool Has(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

// The suffixes of samples that a family of this type has.
const std::map<std::string, std::string> kSuffixes{
    {"gauge", ""}, {"counter", "_total"}, {"info", "_info"}, {"stateset", ""}};

TEST_CASE("the text follows the rules of the format") {
  const std::string text = OpenMetricsText("4711", Example());
  INFO(text);
  CHECK(text.ends_with("\n# EOF\n"));
  const std::regex metadata("# (TYPE|UNIT|HELP) ([a-z_]+) (.+)");
  const std::regex sample(
      R"rx(([a-z_]+)\{([a-z_]+="([^"\\\n]|\\["\\n])*"(,[a-z_]+="([^"\\\n]|\\["\\n])*")*)\} ([0-9]+(\.[0-9]+)?))rx");
  std::set<std::string> families;
  std::set<std::string> series;
  std::string family;
  std::string type;
  std::string last;  // kind of the line before
  size_t samples = 0;
  for (const std::string& line : LinesOf(text)) {
    INFO(line);
    std::smatch part;
    if (line == "# EOF") break;
    if (line[0] == '#') {
      REQUIRE(std::regex_match(line, part, metadata));
      if (part[1] == "TYPE") {
        family = part[2];
        type = part[3];
        CHECK(families.insert(family).second);  // a family comes once, and in one piece
        REQUIRE(kSuffixes.contains(type));
        CHECK(family.ends_with("_total") == false);
      } else {
        CHECK(part[2] == family);
        CHECK(last != "sample");  // metadata comes before the samples
      }
      if (part[1] == "UNIT") CHECK(family.ends_with("_" + part[3].str()));
      last = part[1];
      continue;
    }
    REQUIRE(std::regex_match(line, part, sample));
    CHECK(part[1] == family + kSuffixes.at(type));
    CHECK(series.insert(line.substr(0, line.rfind(' '))).second);  // no series comes twice
    if (type == "stateset") {
      CHECK(part[2].str().find("," + family + "=") != std::string::npos);
      CHECK((part[6] == "0" || part[6] == "1"));
    }
    if (type == "info") CHECK(part[6] == "1");
    last = "sample";
    ++samples;
  }
  CHECK(samples > families.size());
  CHECK(LinesOf(text).back() == "# EOF");
}

TEST_CASE("the figures are those of the status") {
  const std::string text = OpenMetricsText("4711", Example());
  INFO(text);
  for (
      const char* const line : {
          R"(iprof_classes_counted{target="4711"} 999)",
          R"(iprof_counters{target="4711"} 12345678)",
          R"(iprof_samples_total{target="4711"} 100)",
          R"(iprof_allocations_total{target="4711"} 7)",
          R"(iprof_lock_waits_total{target="4711"} 3)",
          R"(iprof_heap_bytes{target="4711"} 1048576)",
          R"(iprof_memory_limit_bytes{target="4711"} 18446744073709551615)",
          R"(iprof_cpu_seconds_total{target="4711"} 1.250)",
          R"(iprof_raw_file_bytes{target="4711"} 4096)",
          R"(iprof_snapshots_total{target="4711"} 12)",
          R"(iprof_snapshot_timestamp_seconds{target="4711"} 1700000060.001)",
          R"(iprof_snapshot_cpu_seconds_total{target="4711"} 0.030)",
          R"(iprof_state_since_timestamp_seconds{target="4711"} 1700000000.999)",
          R"(iprof_state{target="4711",iprof_state="recording"} 1)",
          R"(iprof_state{target="4711",iprof_state="stopped"} 0)",
          R"(iprof_losses_total{target="4711",reason="things"} 8)",
          R"(iprof_losses_total{target="4711",reason="others \"here\""} 2)",
          R"(iprof_raw_file_losses_total{target="4711",reason="records without room"} 5)",
          R"(iprof_agent_info{target="4711",version="1.2.3",records="calls,samples",out="/tmp/a\\b\n.iprof"} 1)",
      }) {
    INFO(line);
    CHECK(Has(text, line));
  }
}

TEST_CASE("an agent that has not recorded has no limit of memory that alarms could compare with") {
  SessionStatus status = Example();
  status.memory_limit_bytes = 0;
  CHECK(OpenMetricsText("x", status).find("iprof_memory_limit_bytes") == std::string::npos);
}

TEST_CASE("a state of a newer agent is none of those that are known") {
  SessionStatus status = Example();
  status.state = "dreaming";
  status.losses.clear();
  status.raw_losses.clear();
  status.raw.clear();
  const std::string text = OpenMetricsText("x", status);
  CHECK(text.find("\"} 1\niprof_state") == std::string::npos);
  CHECK(text.find("iprof_raw_file") == std::string::npos);
  CHECK(text.find("iprof_losses") == std::string::npos);  // a family without samples is left out
}

TEST_CASE("no text of an agent breaks a label, or controls a terminal") {
  CHECK(EscapeLabel("a\"b\\c\nd") == R"(a\"b\\c\nd)");
  CHECK(EscapeLabel("\x1b[2J\r\x7f") == "\xef\xbf\xbd[2J\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(EscapeLabel("\xc2\x9b"
                    "2J") ==
        "\xef\xbf\xbd"
        "2J");
  CHECK(EscapeLabel("\xff\xc3") == "\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(EscapeLabel("\xed\xa0\x80") == "\xef\xbf\xbd");
  CHECK(EscapeLabel("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
}

}  // namespace
}  // namespace iprof::cli
