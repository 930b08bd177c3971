#include "cli/views/export/export_format.h"

#include <catch2/catch.hpp>

#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/io/event_part.h"

namespace iprof {
namespace {

std::string Collapsed(const Profile& p, bool bci) {
  StringSink sink;
  REQUIRE(WriteCollapsed(p, {.bci = bci}, sink).ok());
  return sink.text();
}

TEST_CASE("collapsed stacks: outermost first, sorted, equal ones added up") {
  const Profile p = ParseTables(
      R"(,"samplingProfiles":[{"ctx":"3:4<2:7<1:5","records":[3]},{"ctx":"2:9<1:5","records":[2]},)"
      R"({"ctx":"3:8<2:7<1:5","records":[4]}])");
  CHECK(Collapsed(p, false) ==
        "a.Main.main;a.Main.loop 2\na.Main.main;a.Main.loop;a.Shape.area 7\n");
  CHECK(Collapsed(p, true) ==
        "a.Main.main:5;a.Main.loop:7;a.Shape.area:4 3\n"
        "a.Main.main:5;a.Main.loop:7;a.Shape.area:8 4\n"
        "a.Main.main:5;a.Main.loop:9 2\n");
  CHECK(Collapsed(ParseTables(""), false) == "");
}

TEST_CASE("a hostile name cannot forge a stack or a line") {
  const Profile p = Parse(
      R"({"version":"1.0.0","types":[{"id":8,"name":"void"},{"id":10,"name":"a;b\n"}],"methods":[)"
      R"({"id":1,"name":"m","signature":[10,8]}],"samplingProfiles":[{"ctx":"1:0","records":[1]}]})");
  CHECK(Collapsed(p, false) == "a\\x3bb\\x0a.m 1\n");
}

TEST_CASE("calls are stacks too: each context with its callers") {
  const Profile p = ParseTables(
      R"(,"callCountProfiles":[{"ctx":"1:0","records":[1]},{"ctx":"3:0<2:7<1:5","records":[9]},)"
      R"({"ctx":"3:0<2:8<1:5","records":[2]}],"samplingProfiles":[{"ctx":"1:4","records":[3]}])");
  StringSink sink;
  REQUIRE(WriteCollapsed(p, {.stacks = Table::kCalls}, sink).ok());
  CHECK(sink.text() == "a.Main.main 1\na.Main.main;a.Main.loop;a.Shape.area 11\n");
}

TEST_CASE("collapsed: a value of events, from the thread to the class") {
  Profile p;
  SetEvents(p, MakeExampleEvents());
  StringSink sink;
  REQUIRE(WriteCollapsed(p, {.bci = true, .value = EventValue::kLiveBytes}, sink).ok());
  CHECK(sink.text() ==
        "[main];a.Main.main:5;a.Main.load:12;a.Node 3000000\n"
        "[main];a.Main.main:5;a.Main.load:7;java.util.Arrays.copyOf:2;byte[] 2000000\n");
}

}  // namespace
}  // namespace iprof
