#include <catch2/catch.hpp>

#include "cli/views/export/export_format.h"
#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/event_tables.h"
#include "writer/profile/io/event_part.h"

namespace iprof {
namespace {

const char* const kTables =
    R"(,"callCountProfiles":[{"ctx":"1:0","records":[1]},{"ctx":"2:0","records":[9]},{"ctx":"3:0","records":[90]}],)"
    R"("samplingProfiles":[{"ctx":"3:4<2:7<1:5","records":[5]},{"ctx":"2:9<1:5","records":[2]}],)"
    R"("iprofagent":{"version":1,"lines":{"a.Main.loop()void":{"7":21,"9":22},"a.Shape.area()void":{"4":40}},)"
    R"("sampling":{"event":"cpu","intervalNs":10000000},)"
    R"("provenance":{"runs":[{"end":"2026-11-24T23:36:28.120Z"}]}})";

// What follows the header.
std::string Hprof(const Profile& profile, std::string_view own_options = "") {
  ExportOptions options;
  REQUIRE(ParseHprofOptions(own_options, options).empty());
  StringSink sink;
  REQUIRE(WriteHprof(profile, options, sink).ok());
  REQUIRE(sink.text().starts_with("JAVA PROFILE 1.0.1, created "));
  const std::string_view separator = "\n--------\n\n";
  const size_t end = sink.text().find(separator);
  REQUIRE(end != std::string::npos);
  return sink.text().substr(end + separator.size());
}

TEST_CASE("samples by trace, and times by method") {
  CHECK(Hprof(ParseTables(kTables)) ==
        "TRACE 300001:\n"
        "\ta.Shape.area(<Unknown Source>:40)\n"
        "\ta.Main.loop(<Unknown Source>:21)\n"
        "\ta.Main.main(<Unknown Source>:Unknown line)\n"
        "TRACE 300002:\n"
        "\ta.Main.loop(<Unknown Source>:22)\n"
        "\ta.Main.main(<Unknown Source>:Unknown line)\n"
        "TRACE 300003:\n"
        "\ta.Shape.area(<Unknown Source>:Unknown line)\n"
        "TRACE 300004:\n"
        "\ta.Main.loop(<Unknown Source>:Unknown line)\n"
        "CPU SAMPLES BEGIN (total = 7) Tue Nov 24 23:36:28 2026\n"
        "rank   self  accum   count trace method\n"
        "   1 71.43% 71.43%       5 300001 a.Shape.area\n"
        "   2 28.57% 100.00%       2 300002 a.Main.loop\n"
        "CPU SAMPLES END\n"
        "CPU TIME (ms) BEGIN (total = 70) Tue Nov 24 23:36:28 2026\n"
        "rank   self  accum   count trace method\n"
        "   1 71.43% 71.43%      90 300003 a.Shape.area\n"
        "   2 28.57% 100.00%       9 300004 a.Main.loop\n"
        "CPU TIME (ms) END\n");
}

TEST_CASE("shorter traces and those without lines are fewer, and the cutoff leaves out rows") {
  const std::string one =
      Hprof(ParseTables(R"(,"samplingProfiles":[{"ctx":"3:4<2:7<1:5","records":[5]},)"
                        R"({"ctx":"3:4<2:9<1:5","records":[1]},{"ctx":"2:9<1:5","records":[1]}])"),
            "depth=1,cutoff=0.2");
  CHECK(one ==
        "TRACE 300001:\n\ta.Shape.area(<Unknown Source>:Unknown line)\n"
        "CPU SAMPLES BEGIN (total = 7) Thu Jan  1 00:00:00 1970\n"
        "rank   self  accum   count trace method\n"
        "   1 85.71% 85.71%       6 300001 a.Shape.area\n"
        "CPU SAMPLES END\n");
  CHECK(Hprof(ParseTables(kTables), "lineno=n").find(":21") == std::string::npos);
}

TEST_CASE("no samples, and no times of what is no CPU time") {
  CHECK(Hprof(ParseTables("")) ==
        "CPU SAMPLES BEGIN (total = 0) Thu Jan  1 00:00:00 1970\nCPU SAMPLES END\n");
  std::string wall = kTables;
  wall.replace(wall.find("\"cpu\""), 5, "\"wall\"");
  CHECK(Hprof(ParseTables(wall)).find("CPU TIME") == std::string::npos);
}

EventTables Events(int64_t swept_ms) {
  EventTables events;
  const EventFrame frames[] = {{events.AddMethod("a.B", "read", "()V"), 7, 21},
                               {events.AddMethod("a.B", "main", "()V"), 3, -1}};
  const EventStack stack = events.AddStack(frames);
  events.Add(EventTables::Allocation{.stack = stack,
                                     .type = events.AddType("[[B"),
                                     .thread = events.AddThread("main"),
                                     .bytes = 3000,
                                     .objects = 30,
                                     .live_bytes = 100,
                                     .live_objects = 1,
                                     .samples = 3});
  events.Add(EventTables::Allocation{.stack = stack,
                                     .type = events.AddType("[La.C;"),
                                     .thread = events.AddThread("pool-*"),
                                     .bytes = 1000,
                                     .objects = 10,
                                     .live_bytes = 300,
                                     .live_objects = 3,
                                     .samples = 1});
  events.AddFigures(
      EventTables::AllocationFigures{.intervals = {1000}, .samples = 4, .swept_ms = swept_ms});
  events.Add(EventTables::Wait{.stack = stack, .ns = 5'600'000, .waits = 3});
  events.AddFigures(EventTables::WaitFigures{.thresholds = {1000}, .waits = 3});
  return events;
}

TEST_CASE("allocations and waits, with the traces of their events") {
  Profile profile = ParseTables("");
  SetEvents(profile, Events(1));
  CHECK(Hprof(profile) ==
        "THREAD START (obj=0, id = 200001, name=\"main\", group=\"\")\n"
        "THREAD START (obj=0, id = 200002, name=\"pool-*\", group=\"\")\n"
        "TRACE 300001:\n"
        "\ta.B.read(<Unknown Source>:21)\n"
        "\ta.B.main(<Unknown Source>:Unknown line)\n"
        "SITES BEGIN (ordered by live bytes) Thu Jan  1 00:00:00 1970\n"
        "          percent          live          alloc'ed  stack class\n"
        " rank   self  accum     bytes objs     bytes  objs trace name\n"
        "    1 75.00% 75.00%       300    3      1000    10 300001 a.C[]\n"
        "    2 25.00% 100.00%       100    1      3000    30 300001 byte[][]\n"
        "SITES END\n"
        "CPU SAMPLES BEGIN (total = 0) Thu Jan  1 00:00:00 1970\n"
        "CPU SAMPLES END\n"
        "MONITOR TIME BEGIN (total = 6 ms) Thu Jan  1 00:00:00 1970\n"
        "rank   self  accum   count trace monitor\n"
        "   1 100.00% 100.00%       3 300001 <unknown> (Java)\n"
        "MONITOR TIME END\n");
}

TEST_CASE("where nothing is known of live objects, sites are ordered by what was allocated") {
  Profile profile = ParseTables("");
  SetEvents(profile, Events(0));
  const std::string text = Hprof(profile, "thread=y");
  CHECK(text.find("TRACE 300001: (thread=200001)\n") != std::string::npos);
  CHECK(text.find("SITES BEGIN (ordered by allocated bytes)") != std::string::npos);
  CHECK(text.find("    1 75.00% 75.00%         0    0      3000    30 300001 byte[][]\n"
                  "    2 25.00% 100.00%         0    0      1000    10 300002 a.C[]\n") !=
        std::string::npos);
}

TEST_CASE("a hostile name cannot forge a line") {
  const Profile p = Parse(
      R"({"version":"1.0.0","types":[{"id":8,"name":"void"},{"id":10,"name":"a\nTRACE 1:"}],"methods":[)"
      R"({"id":1,"name":"m","signature":[10,8]}],"samplingProfiles":[{"ctx":"1:0","records":[1]}]})");
  CHECK(Hprof(p).find("\ta\\x0aTRACE 1:.m(<Unknown Source>:Unknown line)\n") != std::string::npos);
}

}  // namespace
}  // namespace iprof
