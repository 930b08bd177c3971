#include "writer/ops/method_times.h"

#include <catch2/catch.hpp>

#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/io/agent_section.h"

namespace iprof {
namespace {

// main calls loop, which calls itself and Circle.area.
Profile Recorded(const std::string& sampling = R"({"event":"cpu","intervalNs":10000000})") {
  return ParseTables(
      R"(,"callCountProfiles":[{"ctx":"1:0","records":[1]},{"ctx":"2:0","records":[40]},{"ctx":"4:0","records":[2000]}],)"
      R"("samplingProfiles":[{"ctx":"4:3<2:7<2:9<1:5","records":[100]},{"ctx":"2:9<2:9<1:5","records":[60]}],)"
      R"("iprofagent":{"version":1,"sampling":)" +
      sampling + "}");
}

MethodTime RowOf(const MethodTimes& times, const std::string& name) {
  for (const MethodTime& row : times.rows) {
    if (row.name == name) return row;
  }
  FAIL("no row " << name);
  return {};
}

TEST_CASE(
    "times are weights by the interval, and a recursive method's total has each sample once") {
  const Profile profile = Recorded();
  const auto times = ComputeMethodTimes(profile, SignalRatio::Of(profile));
  REQUIRE(times);
  CHECK(times->event == "cpu");
  CHECK(times->all.ns == 1'600'000'000);
  CHECK(times->has_calls);
  const MethodTime loop = RowOf(*times, "a.Main.loop()void");
  CHECK(loop.self.ns == 600'000'000);
  CHECK(loop.total.ns == 1'600'000'000);
  CHECK(loop.calls == 40);
  CHECK(loop.are_calls_counted);
  CHECK(loop.NsPerCall() == Approx(40e6));
  const MethodTime area = RowOf(*times, "a.Circle.area()void");
  CHECK(area.self.error() == Approx(0.3));
  CHECK(area.NsPerCall() == Approx(500e3));
  CHECK_FALSE(RowOf(*times, "a.Main.main()void").self.error());
}

TEST_CASE("the error is that of the signals, not of their weight") {
  const Profile profile =
      Recorded(R"({"event":"cpu","intervalNs":10000000,"outcomes":{"good":[40,160]}})");
  const auto times = ComputeMethodTimes(profile, SignalRatio::Of(profile));
  REQUIRE(times);
  CHECK(times->all.samples == Approx(40));
  CHECK(RowOf(*times, "a.Circle.area()void").self.samples == Approx(25));
  CHECK(RowOf(*times, "a.Circle.area()void").self.error() == Approx(0.6));
}

TEST_CASE("without an interval there are no times, and without counts no calls") {
  CHECK_FALSE(ComputeMethodTimes(Recorded(R"({"event":1})"), {160, 160}));
  const Profile profile =
      ParseTables(R"(,"samplingProfiles":[{"ctx":"1:5","records":[3]}],)"
                  R"("iprofagent":{"version":1,"sampling":{"event":"wall","intervalNs":20}})");
  const auto times = ComputeMethodTimes(profile, SignalRatio::Of(profile));
  REQUIRE(times);
  CHECK(times->event == "wall");
  CHECK_FALSE(times->has_calls);
  REQUIRE(times->rows.size() == 1);
  CHECK(times->rows[0].self.ns == 60);
  CHECK_FALSE(times->rows[0].calls);
  CHECK_FALSE(times->rows[0].NsPerCall());
}

TEST_CASE("calls that were estimated are told apart") {
  Profile profile = Recorded();
  profile.AddSureness(MethodNamed(profile, "a.Main.loop()void"), Sureness::EstimatedFrom(4));
  profile.AddSureness(MethodNamed(profile, "a.Circle.area()void"), Sureness::Exact());
  const auto times = ComputeMethodTimes(profile, SignalRatio::Of(profile));
  REQUIRE(times);
  CHECK_FALSE(RowOf(*times, "a.Main.loop()void").are_calls_counted);
  CHECK(RowOf(*times, "a.Circle.area()void").are_calls_counted);
}

TEST_CASE("a filter leaves out rows, not time") {
  const Profile profile = Recorded();
  const auto times =
      ComputeMethodTimes(profile, SignalRatio::Of(profile), {.include = {"a.Circle"}});
  REQUIRE(times);
  CHECK(times->rows.size() == 1);
  CHECK(times->all.ns == 1'600'000'000);
}

}  // namespace
}  // namespace iprof
