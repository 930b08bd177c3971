#include "cli/views/export/export_format.h"

#include <catch2/catch.hpp>

#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/io/event_part.h"

namespace iprof {
namespace {

std::string Speedscope(const Profile& p) {
  StringSink sink;
  REQUIRE(WriteSpeedscope(p, {}, sink).ok());
  return sink.text();
}

const std::string kHead =
    R"({"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"iprof",)";

TEST_CASE("speedscope: one profile for the samples, one for the calls, one list of frames") {
  const Profile p = ParseTables(
      R"(,"callCountProfiles":[{"ctx":"2:0<1:5","records":[9]},{"ctx":"1:0","records":[1]}],)"
      R"("samplingProfiles":[{"ctx":"3:4<2:7<1:5","records":[3]},{"ctx":"2:9<1:5","records":[2]},)"
      R"({"ctx":"2:10<1:5","records":[4]}],)"
      R"("iprofagent":{"version":1,"lines":{"a.Main.loop()void":{"9":12,"10":12}},)"
      R"("provenance":{"runs":[{"program":"app.jar"}]},)"
      R"("sampling":{"event":"cpu","intervalNs":10}})");
  CHECK(
      Speedscope(p) ==
      kHead +
          R"("name":"app.jar","activeProfileIndex":0,"profiles":[)"
          R"({"type":"sampled","name":"cpu time","unit":"nanoseconds","startValue":0,"endValue":90,)"
          R"("samples":[[2,1,0],[2,3]],"weights":[30,60]},)"
          R"({"type":"sampled","name":"calls","unit":"none","startValue":0,"endValue":10,)"
          R"("samples":[[2],[2,1]],"weights":[1,9]}],)"
          R"("shared":{"frames":[{"name":"a.Shape.area"},{"name":"a.Main.loop"},)"
          R"({"name":"a.Main.main"},{"name":"a.Main.loop","line":12}]}})"
          "\n");
}

TEST_CASE("speedscope: without an interval, samples are plain numbers") {
  const std::string text =
      Speedscope(ParseTables(R"(,"samplingProfiles":[{"ctx":"1:4","records":[3]}])"));
  CHECK(text ==
        kHead + R"("name":"profile","activeProfileIndex":0,"profiles":[)"
                R"({"type":"sampled","name":"samples","unit":"none","startValue":0,"endValue":3,)"
                R"("samples":[[0]],"weights":[3]}],"shared":{"frames":[{"name":"a.Main.main"}]}})"
                "\n");
}

TEST_CASE("speedscope: a profile without stacks has one without samples") {
  CHECK(Speedscope(ParseTables("")) ==
        kHead + R"("name":"profile","activeProfileIndex":0,"profiles":[)"
                R"({"type":"sampled","name":"samples","unit":"none","startValue":0,"endValue":0,)"
                R"("samples":[],"weights":[]}],"shared":{"frames":[]}})"
                "\n");
}

TEST_CASE("speedscope: a value of events is a profile in its unit") {
  Profile p;
  SetEvents(p, MakeExampleEvents());
  StringSink sink;
  REQUIRE(WriteSpeedscope(p, {.value = EventValue::kLockTime}, sink).ok());
  CHECK(sink.text() ==
        kHead +
            R"("name":"profile","activeProfileIndex":0,"profiles":[)"
            R"({"type":"sampled","name":"lock-time","unit":"nanoseconds","startValue":0,)"
            R"("endValue":25000000,"samples":[[3,2,1,0],[5,1,4,0]],"weights":[5000000,20000000]}],)"
            R"("shared":{"frames":[{"name":"a.Lock"},{"name":"a.Main.load","line":30},)"
            R"({"name":"a.Main.main","line":11},{"name":"[main]"},)"
            R"({"name":"java.util.concurrent.locks.LockSupport.park","line":211},)"
            R"({"name":"[pool-*-thread-*]"}]}})"
            "\n");
  // Without a choice, one for each value.
  CHECK(Speedscope(p).find(R"("name":"live-bytes","unit":"bytes")") != std::string::npos);
}

}  // namespace
}  // namespace iprof
