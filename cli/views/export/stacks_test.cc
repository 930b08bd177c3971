#include "cli/views/export/stacks.h"

#include <catch2/catch.hpp>

#include "writer/ops/ops_test_profiles.h"

namespace iprof {
namespace {

TEST_CASE("a place is a method and a line, or a method alone") {
  const Profile p = ParseTables(
      R"(,"samplingProfiles":[{"ctx":"2:3<2:4<2:7<2:9<2:11<1:7","records":[1]}])"
      R"(,"iprofagent":{"version":1,"lines":{"a.Main.loop()void":{"7":12,"9":12,"11":13}}})");
  const MethodIndex loop = MethodNamed(p, "a.Main.loop()void");
  const MethodIndex main = MethodNamed(p, "a.Main.main()void");
  FramePlaces places(p);
  CHECK(places.NumberOf({loop, 7}) == 0);
  CHECK(places.NumberOf({loop, 9}) == 0);
  CHECK(places.NumberOf({loop, 11}) == 1);
  CHECK(places.NumberOf({loop, 3}) == 2);  // a line that the profile does not have
  CHECK(places.NumberOf({loop, 4}) == 2);
  CHECK(places.NumberOf({main, 7}) == 3);
  CHECK(places.NumberOf({loop, 7}) == 0);
  REQUIRE(places.places().size() == 4);
  CHECK(places.places()[0].line == 12);
  CHECK(places.places()[2].line == 0);
  CHECK(places.places()[2].method == loop);
}

TEST_CASE("the profile says for which time a sample stands, or does not") {
  const auto time = SampleTimeOf(ParseTables(
      R"(,"iprofagent":{"version":1,"sampling":{"event":"wall","intervalNs":10000000}})"));
  REQUIRE(time);
  CHECK(time->event == "wall");
  CHECK(time->interval_ns == 10'000'000);
  CHECK_FALSE(SampleTimeOf(ParseTables("")));
  CHECK_FALSE(SampleTimeOf(ParseTables(R"(,"iprofagent":{"version":1,"sampling":{"event":1}})")));
}

}  // namespace
}  // namespace iprof
