#include "writer/ops/convert.h"

#include <catch2/catch.hpp>

#include "writer/ops/ops_test_profiles.h"

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

TEST_CASE("csv: one count per line, quoted if needed") {
  const Profile p = Parse(
      R"({"version":"1.0.0","types":[{"id":4,"name":"int"},{"id":10,"name":"a.\"B"}],"methods":[)"
      R"({"id":1,"name":"m","signature":[10,4,4,4]}],"callCountProfiles":[{"ctx":"1:0","records":[1]}],)"
      R"("conditionalProfiles":[{"ctx":"1:2<1:3","records":[9,0,5,4,1,6]}],)"
      R"("monitorProfiles":[{"ctx":"0:0","records":[10,7]}]})");
  StringSink sink;
  REQUIRE(WriteCsv(p, sink).ok());
  const std::string method = "\"" + std::string("a.\"\"B.m(int, int)int") + "\"";
  const std::string caller = "\"" + std::string("a.\"\"B.m(int, int)int:3") + "\"";
  CHECK(sink.text() ==
        "table,method,bci,callers,successor_bci,successor_index,type,count\n"
        "callCountProfiles," +
            method + ",0,,,,,1\n" + "conditionalProfiles," + method + ",2," + caller + ",9,0,,5\n" +
            "conditionalProfiles," + method + ",2," + caller + ",4,1,,6\n" +
            "monitorProfiles,,,,,,\"a.\"\"B\",7\n");
}

}  // namespace
}  // namespace iprof
