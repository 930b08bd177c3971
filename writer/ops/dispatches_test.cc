#include "writer/ops/dispatches.h"

#include <catch2/catch.hpp>

#include "writer/ops/ops_test_profiles.h"

namespace iprof {
namespace {

// loop (2) calls area() at 7; 90 % of the receivers are circles (12, whose area is method 4), 10 % less one are shapes (11, 3).
const std::string kReceivers =
    R"(,"virtualInvokeProfiles":[{"ctx":"2:7","records":[12,9500,11,500]}])";

Profile Exact(const std::string& samples, const std::string& more = "") {
  return ParseTables(kReceivers + R"(,"samplingProfiles":[)" + samples + "]" + more);
}

TEST_CASE("the same profile dispatches alike") {
  const Profile profile = Exact(R"({"ctx":"3:1<2:7<1:5","records":[40]})");
  const DispatchComparison same = CompareDispatches(profile, profile);
  CHECK(same.sites == 1);
  CHECK(same.by_samples_a == 1);
  CHECK(same.by_samples_b == 1);
  CHECK(same.exact);
  CHECK(same.differing.empty());
}

TEST_CASE("a sample of the rare class decides against the receivers") {
  const DispatchComparison compared =
      CompareDispatches(Exact(""), Exact(R"({"ctx":"3:1<2:7<1:5","records":[40]})"));
  REQUIRE(compared.differing.size() == 1);
  const DispatchDifference& call = compared.differing[0];
  CHECK(call.context == "a.Main.loop()void:7");
  CHECK(call.calls == 10'000);
  CHECK(call.a == Dispatch{DispatchReason::kReceivers, {"a.Circle"}});
  CHECK(call.b == Dispatch{DispatchReason::kSamples, {"a.Shape.area()void"}});
}

TEST_CASE("samples that agree with the receivers change nothing") {
  const DispatchComparison compared =
      CompareDispatches(Exact(""), Exact(R"({"ctx":"4:1<2:7<1:5","records":[40]})"));
  CHECK(compared.by_samples_b == 1);
  CHECK(compared.differing.empty());
}

TEST_CASE("a call that hardly ran is not looked at") {
  const auto with_calls = [](int circles) {
    return ParseTables(R"(,"virtualInvokeProfiles":[{"ctx":"2:7","records":[12,)" +
                       std::to_string(circles) + R"(,11,5]}])");
  };
  const Profile sampled = Exact(R"({"ctx":"3:1<2:7<1:5","records":[40]})");
  const DispatchComparison rare = CompareDispatches(with_calls(994), sampled);
  CHECK(rare.sites == 0);
  CHECK(rare.by_samples_b == 0);
  CHECK(rare.differing.empty());
  CHECK(CompareDispatches(with_calls(995), sampled).differing.size() == 1);
}

TEST_CASE("below 5 % of the samples, receivers decide") {
  const DispatchComparison compared = CompareDispatches(
      Exact(""), Exact(R"({"ctx":"3:1<2:7<1:5","records":[1]},{"ctx":"1:9","records":[99]})"));
  CHECK(compared.by_samples_b == 0);
  CHECK(compared.differing.empty());
}

TEST_CASE("a context may differ where the call as a whole does not") {
  const DispatchComparison compared =
      CompareDispatches(Exact(""), Exact(R"({"ctx":"4:1<2:7","records":[40]},)"
                                         R"({"ctx":"3:1<2:7<1:5","records":[40]})"));
  REQUIRE(compared.differing.size() == 1);
  CHECK(compared.differing[0].context == "a.Main.loop()void:7");
  const DispatchComparison deeper = CompareDispatches(
      Exact(R"({"ctx":"4:1<2:7<1:5","records":[40]},{"ctx":"4:1<2:7<1:6","records":[40]})"),
      Exact(R"({"ctx":"4:1<2:7<1:5","records":[40]},{"ctx":"2:7<1:6","records":[40]})"));
  CHECK(deeper.differing.empty());  // receivers and samples say the same
}

TEST_CASE("the samples are those of the file, in pieces") {
  const Profile split = Exact(
      R"({"ctx":"3:1","records":[40]},{"ctx":"2:7<1:5","records":[40]})",
      R"(,"iprofagent":{"version":1,"split":{"sites":1,"whole":[["3:1<2:7<1:5",40,0,1,1,3]]}})");
  CHECK(split.entry_count(Table::kSamples) == 1);
  const DispatchComparison compared = CompareDispatches(Exact(""), split);
  CHECK(compared.by_samples_b == 0);
  CHECK(compared.differing.empty());
}

TEST_CASE("other receivers dispatch otherwise; a harvest is no exact truth") {
  const Profile harvest = ParseTables(
      R"(,"virtualInvokeProfiles":[{"ctx":"2:7","records":[11,5000,12,5000]}],)"
      R"("iprofagent":{"version":1,"harvest":{"source":"methoddata","estimator":"none",)"
      R"("without_methoddata_permille":0,"left_out_permille":0,"type_width":2,)"
      R"("recursive_groups":0,"jvm_age_s":1,"harvests":1,"time":""}})");
  const DispatchComparison compared = CompareDispatches(harvest, Exact(""));
  CHECK_FALSE(compared.exact);
  REQUIRE(compared.differing.size() == 1);
  CHECK(compared.differing[0].a == Dispatch{DispatchReason::kReceivers, {"a.Circle", "a.Shape"}});
  CHECK(compared.differing[0].b == Dispatch{DispatchReason::kReceivers, {"a.Circle"}});
}

TEST_CASE("a profile without receivers dispatches to nothing") {
  const DispatchComparison compared = CompareDispatches(Exact(""), ParseTables(""));
  REQUIRE(compared.differing.size() == 1);
  CHECK(compared.differing[0].b == Dispatch{});
  CHECK(NameOf(DispatchReason::kNothing) == "nothing");
}

}  // namespace
}  // namespace iprof
