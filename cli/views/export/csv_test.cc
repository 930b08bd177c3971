#include "cli/views/export/export_format.h"

#include <catch2/catch.hpp>

#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/io/event_part.h"

namespace iprof {
namespace {

TEST_CASE("csv: one count per line, quoted if needed") {
  const Profile p = Parse(
      R"({"version":"1.0.0","types":[{"id":4,"name":"int"},{"id":10,"name":"a.\"B"}],"methods":[)"
      R"({"id":1,"name":"m","signature":[10,4,4,4]}],"callCountProfiles":[{"ctx":"1:0","records":[1]}],)"
      R"("conditionalProfiles":[{"ctx":"1:2<1:3","records":[9,0,5,4,1,6]}],)"
      R"("monitorProfiles":[{"ctx":"0:0","records":[10,7]}]})");
  StringSink sink;
  REQUIRE(WriteCsv(p, {}, sink).ok());
  const std::string method = "\"" + std::string("a.\"\"B.m(int, int)int") + "\"";
  const std::string caller = "\"" + std::string("a.\"\"B.m(int, int)int:3") + "\"";
  CHECK(sink.text() ==
        "table,method,bci,callers,successor_bci,successor_index,type,count\n"
        "callCountProfiles," +
            method + ",0,,,,,1\n" + "conditionalProfiles," + method + ",2," + caller + ",9,0,,5\n" +
            "conditionalProfiles," + method + ",2," + caller + ",4,1,,6\n" +
            "monitorProfiles,,,,,,\"a.\"\"B\",7\n");
}

TEST_CASE("csv: a value of events is a table") {
  Profile p;
  SetEvents(p, MakeExampleEvents());
  StringSink sink;
  REQUIRE(WriteCsv(p, {.value = EventValue::kLockCount}, sink).ok());
  CHECK(sink.text() ==
        "table,method,bci,callers,successor_bci,successor_index,type,count\n"
        "lock-count,a.Main.load(int)void,30,a.Main.main([Ljava.lang.String;)void:5 < "
        "[main]:0,,,a.Lock,2\n"
        "lock-count,java.util.concurrent.locks.LockSupport.park(java.lang.Object)void,14,"
        "a.Main.load(int)void:30 < [pool-*-thread-*]:0,,,a.Lock,4\n");
}

}  // namespace
}  // namespace iprof
